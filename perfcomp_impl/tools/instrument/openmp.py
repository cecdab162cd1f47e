"""What OpenMP's directives do to the flow."""

import re

from . import parse
from .graph import Jumps, Place, Region, Unclear

_OMP_LOOP = re.compile(r"\b(?:for|simd|taskloop|loop|distribute|tile|unroll)\b")
_OMP_BLOCK = re.compile(r"(?:parallel|task|single|master|masked|critical|sections|section|ordered|scope|"
                        r"taskgroup)\b")
_OMP_UNCLEAR = re.compile(r"(?:target|teams|distribute|declare|metadirective|begin|end|dispatch|scan|"
                          r"tile|unroll)\b|.*\b(?:depend\s*\(\s*(?:source|sink)|scan)")
_OMP_NEST = re.compile(r"\b(?:collapse|ordered)\s*\(\s*(\d+)\s*\)")
_OMP_INDEPENDENT = re.compile(r"\b(?:simd|loop|concurrent)\b|\bschedule\s*\((?![^)]*\bstatic\b)")
_OMP_ATOMIC = re.compile(r"atomic\b")
_BODIES = parse.IF, parse.WHILE, parse.DO, parse.FOR, parse.SWITCH, parse.NULL, parse.ASM  # without braces, besides expressions


class OpenMP:
    """A part of cfg.Builder."""

    def _omp(self, node, listed, directives):
        """A statement behind OpenMP directives: its blocks count for themselves, because several
        threads may run it, and what the directives belong to keeps its form."""
        self.graph.alone = "OpenMP"
        self.place = Place(node, listed)
        start = self.source.first_omp(node.start) if self._omp_has_its_own(node, directives[-1]) else node.start
        self._touch(start, start + 1)
        self.place = None
        self._omp_statement(node, listed, directives)

    @staticmethod
    def _omp_has_its_own(node, directive):
        """A block of its own begins in the statement's line: how often the directives are come to isn't how often that runs."""
        is_other = _OMP_ATOMIC.match(directive) or node.kind == parse.FOR and _OMP_LOOP.search(directive.split("(")[0])
        return node.kind != parse.COMPOUND and not is_other and bool(_OMP_BLOCK.match(directive))

    def _omp_statement(self, node, listed, directives):
        """That statement, when nothing is to be counted before its directives."""
        if any(_OMP_UNCLEAR.match(d) for d in directives):
            raise Unclear("OpenMP: " + directives[-1])
        directive = directives[-1]
        if _OMP_ATOMIC.match(directive):
            self._close()
        elif _OMP_LOOP.search(directive.split("(")[0]) and node.kind == parse.FOR:
            self._omp_loop(node, directive)
        elif re.match(r"(?:parallel\s+)?sections\b", directive):
            self._omp_sections(node)
        elif _OMP_BLOCK.match(directive):
            self._omp_block(node, self.source.behind_omp(node.start))
        else:
            self._close()                      # a directive that stands for itself, and may leave the region: cancel, barrier
            self._plain_statement(node, listed, start=self.source.behind_omp(node.start))
        self._close()

    def _omp_block(self, node, start):
        """What directives belong to; `start`: where to insert between them and it, None: nowhere."""
        self._at(None)
        if node.kind == parse.COMPOUND:
            self.graph.regions.append(Region(node.start + 1))
            self._compound(node)
        elif start is not None and (node.kind < 200 or node.kind in _BODIES):
            self.graph.regions.append(Region(start, self._end(node)))
            self._plain_statement(node, True, start=start)

    def _omp_part(self, node):
        """What belongs to directives further up, and may have some of its own: these stay with it, inside the braces."""
        while node.kind == parse.UNEXPOSED_STMT and node.children:  # behind a pragma that isn't OpenMP's
            node = node.children[-1]
        directives, start = self.source.omp(node.start), self.source.before_pragmas(node.start)
        if not directives:
            self._omp_block(node, start)
            return
        self._at(None)
        self.graph.regions.append(Region(start, self._end(node)))
        self._omp(node, True, directives)

    def _omp_sections(self, node):
        if node.kind != parse.COMPOUND:
            raise Unclear("OpenMP sections")
        for child in node.children:
            directives = self.source.omp(child.start)
            if directives[:1] == ["section"]:
                self._omp_statement(child, True, directives)
            else:
                self._omp_part(child)

    def _omp_loop(self, node, directive):
        nest = _OMP_NEST.search(directive)
        self.graph.has_loop = True
        for _ in range(int(nest[1]) - 1 if nest else 0):
            node = node.children[-1]
            if node.kind == parse.COMPOUND and len(node.children) == 1:
                node = node.children[0]
            if node.kind != parse.FOR:
                raise Unclear("an OpenMP loop nest")
        body = node.children[-1]
        jumps = Jumps(True)
        jumps.on_break, jumps.on_continue = self.graph.point(), self.graph.point()
        self.jumps.append(jumps)
        regions = len(self.graph.regions)
        self._omp_part(body)
        for region in self.graph.regions[regions:regions + 1]:
            region.turn = bool(_OMP_INDEPENDENT.search(directive))
        self.jumps.pop()
