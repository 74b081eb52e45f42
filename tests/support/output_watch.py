"""A hook that records outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

import windlass as wl
from windlass.framework.model.table import Entity


class Watch(wl.StepHook):
    """Hook that records values of output variables after each step."""

    def __init__(self, **wanted: tuple[Entity, str]) -> None:
        self.wanted, self.t = wanted, list[float]()
        self.values: dict[str, list[Any]] = {name: [] for name in wanted}

    def after_step(self, state: wl.State) -> None:
        self.t.append(state.t)
        for name, (entity, output) in self.wanted.items():
            self.values[name].append(np.ravel(wl.eval_output(entity, output, state)))

    def __getitem__(self, name: str) -> Any:
        return np.array(self.values[name])
