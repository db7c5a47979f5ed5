"""Matchings in any graph: as many disjoint pairs as there can be, by growing and shrinking blossoms (Edmonds 1965)."""

from __future__ import annotations

from collections.abc import Sequence


class Matching:
    """A largest matching of vertices from 0; *joined* says of each vertex which others it may be paired with."""

    def __init__(self, joined: Sequence[Sequence[int]]) -> None:
        self._joined = joined
        self._gone = [False] * len(joined)
        self.partner: list[int | None] = [None] * len(joined)
        for vertex in range(len(joined)):
            if self.partner[vertex] is None:
                self._augment(vertex)

    @property
    def pairs(self) -> int:
        """How many pairs it has."""
        return sum(partner is not None for partner in self.partner) // 2

    def without(self, *vertices: int) -> Matching:
        """A largest matching of what is left when *vertices* are taken out. It costs a search for each of them."""
        rest = object.__new__(Matching)
        rest._joined, rest._gone, rest.partner = self._joined, list(self._gone), list(self.partner)
        for vertex in vertices:  # One by one: a longer matching has to begin at the partner of the one that goes.
            alone = rest._take_out(vertex)
            if alone is not None:
                rest._augment(alone)
        return rest

    def _take_out(self, vertex: int) -> int | None:
        partner = self.partner[vertex]
        self._gone[vertex] = True
        self.partner[vertex] = None
        if partner is not None:
            self.partner[partner] = None
        return partner

    def _augment(self, root: int) -> None:
        """Adds a pair if some path, by turns outside and inside, leads from *root* to another that is alone."""
        search = _Search(self._joined, self._gone, self.partner, root)
        at = search.end()
        while at is not None:
            before = search.parent[at]
            assert before is not None
            after = self.partner[before]
            self.partner[at], self.partner[before] = before, at
            at = after


class _Search:
    """One breadth-first search, in which every odd cycle that is met is treated as a single vertex, its base."""

    def __init__(
        self, joined: Sequence[Sequence[int]], gone: Sequence[bool], partner: Sequence[int | None], root: int
    ) -> None:
        self._joined, self._gone, self._partner, self._root = joined, gone, partner, root
        self.parent: list[int | None] = [None] * len(joined)
        self._base = list(range(len(joined)))
        self._even = [False] * len(joined)
        self._queue: list[int] = []

    def end(self) -> int | None:
        """The vertex at which a path ends that makes the matching larger, by *parent*; None where there is no path."""
        self._reach(self._root)
        for vertex in self._queue:  # It grows meanwhile.
            for other in self._joined[vertex]:
                if self._gone[other] or self._base[vertex] == self._base[other] or self._partner[vertex] == other:
                    continue
                if self._is_even(other):
                    self._contract(vertex, other)
                elif self.parent[other] is None:
                    self.parent[other] = vertex
                    mate = self._partner[other]
                    if mate is None:
                        return other
                    self._reach(mate)
        return None

    def _reach(self, vertex: int) -> None:
        if not self._even[vertex]:
            self._even[vertex] = True
            self._queue.append(vertex)

    def _is_even(self, vertex: int) -> bool:
        mate = self._partner[vertex]
        return vertex == self._root or (mate is not None and self.parent[mate] is not None)

    def _contract(self, one: int, other: int) -> None:
        base = self._common(one, other)
        blossom: set[int] = set()
        self._mark(one, base, other, blossom)
        self._mark(other, base, one, blossom)
        for vertex in range(len(self._base)):
            if self._base[vertex] in blossom:
                self._base[vertex] = base
                self._reach(vertex)

    def _common(self, one: int, other: int) -> int:
        """The base nearest to both on their ways to the root."""
        on_way = set()
        at: int | None = one
        while at is not None:
            base = self._base[at]
            on_way.add(base)
            mate = self._partner[base]
            at = None if base == self._root or mate is None else self.parent[mate]
        at = other
        while self._base[at] not in on_way:
            mate = self._partner[self._base[at]]
            assert mate is not None
            at = self.parent[mate]
            assert at is not None
        return self._base[at]

    def _mark(self, at: int, base: int, child: int, blossom: set[int]) -> None:
        while self._base[at] != base:
            mate = self._partner[at]
            assert mate is not None
            blossom.update((self._base[at], self._base[mate]))
            self.parent[at] = child
            child, following = mate, self.parent[mate]
            assert following is not None
            at = following
