"""The only folder that uses numba: the decorator, the cache of machine code and its key, calls by address, programs."""

import os
import sys

# numba imports SciPy to read its version, and YAML for a file of settings; without both, numba starts 20 ms earlier
_put_off = {"scipy", "yaml"} if not os.path.exists(".numba_config.yaml") else set()
_put_off -= sys.modules.keys()
sys.modules.update(dict.fromkeys(_put_off))  # type: ignore[arg-type]
try:
    import numba  # noqa: F401
finally:
    for _name in _put_off:
        del sys.modules[_name]
