"""Help text that ``-help`` prints for the options of models and of Windlass."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict

from windlass.framework.launch.arguments import Option


def describe_options(own: Mapping[str, Option], framework: Collection[str], solvers: Iterable[str]) -> str:
    """Return a text that describes the options ``own`` with their defaults, units and bounds. The options of the model
    are first. The options of each solver follow, with names that begin with a prefix in ``solvers``. The options of
    Windlass, with the names in ``framework``, are last.
    """
    titles = {"": "Options of the model:", "windlass": "Options of Windlass:"}
    groups: dict[str, list[str]] = {}
    for name, item in own.items():
        prefix = next((prefix for prefix in solvers if prefix and name.startswith(prefix)), "")
        groups.setdefault("windlass" if name in framework else prefix, []).append(item.describe())
    order = sorted(groups, key=lambda group: (group != "", group == "windlass"))
    return "\n".join(
        "\n".join([titles.get(group, f"Windlass' options of the solver {group}:"), *groups[group]]) for group in order
    )


def describe_as_json(
    own: Mapping[str, Option], framework: Collection[str], solvers: Iterable[str], unknown: Sequence[str]
) -> str:
    """Return a description of the options for other programs as one line of JSON. The line contains the declared
    options, the names of the options that Windlass declares, the prefixes of the solvers, and the unknown options.
    """
    found = {"options": [asdict(item) for item in own.values()], "windlass": sorted(framework)}
    return json.dumps({**found, "prefixes": [prefix for prefix in solvers if prefix], "unknown": list(unknown)})
