"""Settings of the original program, which comparisons with its recorded data keep."""

from __future__ import annotations

from typing import Any

ORIGINAL: dict[str, Any] = {
    "discontinuous_max_it": 5,
    "discontinuous_atol": 1.0,
    "discontinuous_rtol": 0.0,
    "discontinuous_fail": False,
    "decide_at_start": False,
}
"""Steps that do not settle are accepted after the last pass, and every contact begins open."""
STEPS: dict[str, Any] = {"resolve_contacts": False}
"""Steps in time stay as they are where they do not resolve a contact."""
