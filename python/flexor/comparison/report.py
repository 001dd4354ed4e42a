"""What a comparison found: a table, a JSON object, a picture."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexor.errors import MissingExtraError
from flexor.names import unknown

#: arrays in the picture of a run
_DRAWN = 10


@dataclass
class Report:
    """Result of `flexor.compare`; true when everything is in tolerance.

    fields: one dict for each array, in the order of a step. invariants: of a free run.
    first_difference: with strict, where bits first differ. left_out: world-steps not compared, by
    reason. checks: conditions on the run as a whole. curves: array -> [(step, median, largest
    error)]. about: model, sides, options.
    """

    about: dict[str, Any]
    fields: list[dict] = field(default_factory=list)
    invariants: list[dict] = field(default_factory=list)
    checks: list[dict] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    first_difference: dict | None = None
    curves: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.failures

    def __bool__(self) -> bool:
        return self.ok

    @property
    def failures(self) -> list[str]:
        """What is out of tolerance, a line each."""
        lines = []
        if self.first_difference is not None:
            d = self.first_difference
            lines.append(
                f"first difference: step {d['step']}, stage {d['stage']}, {d['field']}, world "
                f"{d['world']}{', ' + d['component'] if d['component'] else ''}: {d['a']!r} and "
                f"{d['b']!r}, {d['ulp']:.3g} ulp"
            )
        for row in self.fields:
            if not row["ok"]:
                if row["used"] <= 1:
                    lines.append(f"{row['name']}: median {row['ulp']['p50']:.3g} ulp > {row['ulp_tolerance']:.3g}")  # fmt: skip
                    continue
                w = row["worst"]
                place = f"{w['component']} " if w["component"] else ""
                lines.append(
                    f"{row['name']}: {place}error {w['error']:.3g} > {row['tolerance']:.3g} at step "
                    f"{w['step']}, world {w['world']}: {w['a']!r} and {w['b']!r}"
                )
        for row in (*self.invariants, *self.checks):
            if not row["ok"]:
                lines.append(f"{row['name']} ({row['side']}): {row['value']:.3g}, tolerance {row['tolerance']:.3g}")  # fmt: skip
        return lines

    def field(self, name: str) -> dict:
        """Row of one array. UnknownNameError if it was not compared."""
        rows = {row["name"]: row for row in self.fields}
        if name not in rows:
            raise unknown("report", name, rows)
        return rows[name]

    def to_dict(self) -> dict:
        """For JSON: numbers that are not finite become null."""
        return _finite(
            {
                "ok": self.ok,
                **self.about,
                "fields": self.fields,
                "invariants": self.invariants,
                "checks": self.checks,
                "left_out": self.left_out,
                "first_difference": self.first_difference,
                "failures": self.failures,
                "curves": self.curves,
            }
        )

    def save_json(self, path: str | os.PathLike) -> None:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.to_dict(), file, allow_nan=False, indent=1)
            file.write("\n")

    def save_png(self, path: str | os.PathLike) -> None:
        """Largest and median error over the steps. MissingExtraError without matplotlib."""
        plt = pyplot()
        figure, axis = plt.subplots(figsize=(9, 5.5), layout="constrained")
        moving = [n for n, c in self.curves.items() if any(largest > 0 for _, _, largest in c)]
        for name in sorted(moving, key=lambda n: -max(e for _, _, e in self.curves[n]))[:_DRAWN]:
            steps, median, largest = np.array(self.curves[name], np.float64).T
            (line,) = axis.plot(steps, largest, label=name, linewidth=1.2)
            axis.plot(steps, median, color=line.get_color(), linewidth=0.8, linestyle=":")
        axis.set(xlabel="step", ylabel="error: largest (line), median (dots)", title=self.title)
        if moving:
            axis.set_yscale("log")
            figure.legend(loc="outside right upper", fontsize="small")
        axis.grid(alpha=0.3)
        figure.savefig(path, dpi=130)
        plt.close(figure)

    @property
    def title(self) -> str:
        a = self.about
        return f"{a['model']}: {a['a']['backend']} {a['a']['precision']} against {a['b']['backend']} {a['b']['precision']}, {a['mode']}"  # fmt: skip

    def __str__(self) -> str:
        verdict = "in tolerance" if self.ok else "OUT OF TOLERANCE"
        return "\n".join([f"{self.title}: {verdict}", *(f"  {line}" for line in self.failures)])


def pyplot():
    """matplotlib.pyplot without a display. MissingExtraError if it is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError(
            "a picture needs matplotlib, which is not installed: pip install 'flexor[view]'"
        ) from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _finite(item):
    if isinstance(item, dict):
        return {key: _finite(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_finite(value) for value in item]
    return None if isinstance(item, float) and not np.isfinite(item) else item
