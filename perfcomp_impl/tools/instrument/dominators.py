"""Dominators: a block dominates another one that control can't come to without passing it.

Immediate ones as by Lengauer & Tarjan (TOPLAS 1(1), 1979), by their simple way of joining trees: a graph of m edges
and n blocks takes m log n steps, whatever its shape. A chain of thousands of branches, whose ends all lead to one
place, as a long function's returns do, took the square of that by walks up the tree.
"""


class Dominators:
    """`order`: the blocks that control comes to, numbers, as depth-first search meets them; `parent`: of each by way of
    which other one it does so; `predecessors` of all blocks."""

    def __init__(self, order, parent, predecessors):
        self.above = _immediate(order, parent, predecessors)  # None for the first one, and where control doesn't come
        self._size = [1] * len(predecessors)   # of the tree below each,
        self._place = [-1] * len(predecessors) # whose blocks have the places right behind its own
        self._number(order)

    def _number(self, order):
        above, size, place = self.above, self._size, self._place
        for number in reversed(order[1:]):     # a block is met after those that dominate it
            size[above[number]] += size[number]
        free = list(place)                     # the first place below each that isn't taken
        place[order[0]] = 0
        free[order[0]] = 1
        for number in order[1:]:
            place[number] = free[above[number]]
            free[above[number]] += size[number]
            free[number] = place[number] + 1

    def has(self, above, below):
        """Whether the first block dominates the second, or is it."""
        first, place = self._place[above], self._place[below]
        return above == below or 0 <= first < place < first + self._size[above]


def _immediate(order, parent, predecessors):
    met = [-1] * len(predecessors)             # when each is met; -1: it isn't
    for time, number in enumerate(order):
        met[number] = time
    semi = list(met)                           # when its semidominator is
    least = list(range(len(predecessors)))     # on its path to its tree's root, as far as that is compressed, who has the least semi
    joined = [None] * len(predecessors)        # of a forest: what is above it, whoever that is by now
    above, waiting = [None] * len(predecessors), [[] for _ in predecessors]

    def lowest(number):
        """Who has the least semi on the way up to the root, the root excluded."""
        path = []
        while joined[number] is not None and joined[joined[number]] is not None:
            path.append(number)
            number = joined[number]
        for number in reversed(path):
            higher = joined[number]
            if semi[least[higher]] < semi[least[number]]:
                least[number] = least[higher]
            joined[number] = joined[higher]
        return least[number]

    for number in reversed(order[1:]):
        for before in predecessors[number]:
            if met[before] >= 0:
                semi[number] = min(semi[number], semi[lowest(before) if joined[before] is not None else before])
        waiting[order[semi[number]]].append(number)
        over = joined[number] = parent[number]
        for other in waiting[over]:
            on_the_way = lowest(other)
            above[other] = on_the_way if semi[on_the_way] < semi[other] else over
        waiting[over] = []
    for number in order[1:]:
        if above[number] != order[semi[number]]:
            above[number] = above[above[number]]
    return above
