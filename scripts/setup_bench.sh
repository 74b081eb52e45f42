#!/usr/bin/env bash
# Installs the programs that Windlass is timed against (benchmarks/requirements.txt) into .venv-bench, apart from .venv:
# they bring their own NumPy. Does nothing when all is there.
# PYTHON=/path/to/python chooses the interpreter; otherwise that of .venv.
set -euo pipefail
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
venv=$root/.venv-bench
requirements=benchmarks/requirements.txt

say() { printf 'setup_bench: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

if [[ $# -gt 0 ]]; then fail "unknown argument '$1'; usage: scripts/setup_bench.sh"; fi

# A stamp holds for one list, one script and one place.
key=$({ cat "$requirements" scripts/setup_bench.sh; printf '%s' "$root"; } | sha256sum | cut -d ' ' -f 1)
if [[ -f $venv/.setup && $(<"$venv/.setup") == "$key" ]] && "$venv/bin/python" -c 'import exudyn' 2>/dev/null; then
  exit 0
fi

if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
  for python in ${PYTHON:+"$PYTHON"} "$root/.venv/bin/python" python3.11 python3; do
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then break; fi
    python=
  done
  [[ -n $python ]] || fail "no Python that can make a virtual environment: run scripts/setup.sh first, or set PYTHON"
  say "making .venv-bench with $("$python" -c 'import platform; print("Python", platform.python_version())')"
  "$python" -m venv "$venv"
fi
say "installing $(sed '/^#/d' "$requirements" | paste -s -d ' ') (about 30 MB when all is missing)"
"$venv/bin/python" -m pip install --quiet --requirement "$requirements" || fail "pip could not install $requirements"
"$venv/bin/python" -c 'import exudyn' || fail "exudyn is installed but does not load (message above)"
printf '%s\n' "$key" >"$venv/.setup"
