"""Compilation and calls of kernels: the decorator, the cache of machine code and its key, calls by address, and
programs. No other folder imports numba.
"""

import os
import sys

# hide SciPy and YAML from numba, because their import takes 20 ms; numba uses them only to read a version and a
# settings file
_put_off = {"scipy", "yaml"} if not os.path.exists(".numba_config.yaml") else set()
_put_off -= sys.modules.keys()
sys.modules.update(dict.fromkeys(_put_off))  # type: ignore[arg-type]
try:
    import numba  # noqa: F401
finally:
    for _name in _put_off:
        del sys.modules[_name]
