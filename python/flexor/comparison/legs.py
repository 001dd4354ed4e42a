"""The shortest free piece of every tendon: the direction of a piece is as good as the rounding of its
ends over its length."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from flexor.comparison.side import Side

#: pieces below this length [m] have no direction
_LEAST = 1e-12


class Legs:
    """Free pieces of the paths of one side, told from its poses."""

    def __init__(self, side: Side):
        self.side, self.tendons = side, side.model.tendons
        self._known = {info.name for info in side.model.parameters()}

    def shortest(self) -> np.ndarray:
        """(worlds, tendons) [m]; infinite for a tendon without pieces. A piece beside an exterior
        guide counts straight and as the tangent; beside an interior one as the way to its surface."""
        read = self.side.read
        self._sites, self._bodies = read("site_position"), read("body_position")
        self._quaternions = read("body_quaternion")
        out = np.full((self.side.num_worlds, len(self.tendons)), np.inf)
        for t, tendon in enumerate(self.tendons):
            for length in self._pieces(tendon):
                out[:, t] = np.minimum(out[:, t], length)
        return np.maximum(out, _LEAST)

    def _pieces(self, tendon) -> Iterator[np.ndarray]:
        """Lengths (worlds,) of the pieces of a path."""
        last, guide = None, None
        for i, element in enumerate(tendon.path):
            kind = element.type.name
            if kind in ("sphere", "cylinder"):
                guide = (i, element)
            elif kind != "site":
                last, guide = None, None  # a branch or a joint ends the line
            else:
                here = self._point(tendon, i, element)
                if last is not None:
                    yield _size(here - last)
                if last is not None and guide is not None:
                    yield from self._beside(tendon, *guide, (last, here))
                last, guide = here, None

    def _beside(self, tendon, i: int, guide, ends) -> Iterator[np.ndarray]:
        """Pieces from the ends to a guide that engages; infinite for an end on or inside it."""
        centre = self._point(tendon, i, guide)
        flat = self._flattener(tendon, i, guide)
        r = self._number(tendon, i, "radius", guide.radius)[:, 0]
        is_interior = np.full(len(r), guide.side_mode.name == "interior")
        if guide.has_side and guide.side_mode.name == "auto":
            side = self._place(guide.side_site, guide.side_body,
                               self._number(tendon, i, "side", guide.side_pos))  # fmt: skip
            is_interior = _size(flat(side - centre)) < r
        for end in ends:
            rho = _size(flat(end - centre))
            tangent = np.sqrt(np.maximum((rho - r) * (rho + r), 0))
            yield np.where(rho > r, np.where(is_interior, rho - r, tangent), np.inf)

    def _flattener(self, tendon, i: int, guide) -> Callable[[np.ndarray], np.ndarray]:
        """Projects vectors on the plane that a cylinder is a circle in."""
        if guide.type.name == "sphere":
            return lambda x: x
        axis = self._number(tendon, i, "axis", guide.axis)
        axis = self._turned(guide.body, axis / _size(axis)[:, None])
        return lambda x: x - np.sum(x * axis, axis=1, keepdims=True) * axis

    def _number(self, tendon, i: int, kind: str, otherwise) -> np.ndarray:
        """Parameter of a path element, (worlds, n)."""
        name = f"tendon/{tendon.name}/route/{i}/{kind}"
        if name in self._known:
            return self.side.parameter(name).reshape(self.side.num_worlds, -1).astype(np.float64)
        return np.broadcast_to(np.atleast_1d(otherwise), (self.side.num_worlds, np.size(otherwise)))

    def _point(self, tendon, i: int, element) -> np.ndarray:
        return self._place(element.site, element.body, self._number(tendon, i, "pos", element.pos))

    def _place(self, site, body: int, pos: np.ndarray) -> np.ndarray:
        """World point (worlds, 3) of a named site, else of a point of a body."""
        if isinstance(site, int) and site >= 0:
            return self._sites[:, site].astype(np.float64)
        turned = self._turned(body, pos)
        return turned if body < 0 else turned + self._bodies[:, body]

    def _turned(self, body: int, vector: np.ndarray) -> np.ndarray:
        if body < 0:
            return vector
        q = self._quaternions[:, body].astype(np.float64)
        twice = 2 * np.cross(q[:, 1:], vector)
        return vector + q[:, :1] * twice + np.cross(q[:, 1:], twice)


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.sum(vectors * vectors, axis=1))
