"""Lists of options for reports and for the reference documentation."""

from windlass.framework.command_line import options
from windlass.framework.launch.arguments import Option


def framework_options() -> dict[str, Option]:
    """Return the options that Windlass defines for every model, by name."""
    options.start()
    return {name: item for name, item in options._run.own.items() if name in options._run.framework}


def given_options() -> dict[str, str]:
    """Return the values of all options that are given on the command line, in option files and in the environment, by
    name.
    """
    return dict(options._petsc().Options().getAll())


def model_options() -> dict[str, Option]:
    """Return the options that the model has declared, by name."""
    prefixes = tuple(prefix for prefix in options._run.solvers if prefix)
    own = options._run.own.items()
    return {name: item for name, item in own if name not in options._run.framework and not name.startswith(prefixes)}
