"""Disjoint sets (union-find)."""


class Classes:
    """Disjoint sets of the numbers below `size`."""

    def __init__(self, size):
        self.above = list(range(size))

    def find(self, a):
        above = self.above
        while above[a] != a:
            above[a] = above[above[a]]
            a = above[a]
        return a

    def join(self, a, b):
        """Whether they were apart."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        self.above[a] = b
        return True
