"""All laws of the package.

A law is registered when its file is loaded, which happens at the first use of one of its names.
"""

from collections.abc import Mapping

import windlass.connectors
import windlass.elements
from windlass.framework.model.law import Law, laws
from windlass.framework.model.schema import Component


def all_laws() -> Mapping[type[Component], Law]:
    """Register all laws of the package, and return all registered laws."""
    for package in (windlass.elements, windlass.connectors):
        for name in package.__all__:
            getattr(package, name)
    return laws()
