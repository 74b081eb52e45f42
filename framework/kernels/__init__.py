"""The only folder that uses numba: decorator of kernels, cache of machine code and its key, calls by address, and
programs."""

import os
import sys

# hide SciPy and YAML, which numba imports only for a version and a file of settings, because numba then starts 20 ms
# earlier
_put_off = {"scipy", "yaml"} if not os.path.exists(".numba_config.yaml") else set()
_put_off -= sys.modules.keys()
sys.modules.update(dict.fromkeys(_put_off))  # type: ignore[arg-type]
try:
    import numba  # noqa: F401
finally:
    for _name in _put_off:
        del sys.modules[_name]
