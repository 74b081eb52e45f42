#!/usr/bin/env bash
# This script installs the programs with which the times of Windlass are compared. If all programs are installed, the
# script does nothing.
# usage: scripts/setup_bench.sh [--exudyn] [--pyelastica] [--simbody]      without arguments: --exudyn
#   --exudyn   benchmarks/requirements.txt into .venv-bench, separate from .venv, because it contains another NumPy
#   --pyelastica  PyElastica into .venv-bench
#   --simbody  the Debian packages libsimbody-dev and g++, and the programs of benchmarks/peers/*.cpp into .venv-bench/bin
# PYTHON=/path/to/python selects the interpreter; the default is the interpreter of .venv.
set -euo pipefail
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
venv=$root/.venv-bench
requirements=benchmarks/requirements.txt
pyelastica=1.0.0
simbody_source=benchmarks/peers/spheres_simbody.cpp
simbody_packages=(libsimbody-dev g++)

say() { printf 'setup_bench: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

install_debian_packages() {
  local package missing=() as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then return; fi
  command -v apt-get >/dev/null || fail "${missing[*]} are missing, and there is no apt-get to install them"
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null ||
      fail "as root: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}; then call this again"
    as_root=(sudo)
    # Without a terminal, no password can be entered.
    if [[ ! -t 0 ]]; then as_root=(sudo -n); fi
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0)
  say "installing Debian packages: ${missing[*]}"
  "${apt[@]}" update || say "apt-get update failed; trying with the package lists at hand"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install ${missing[*]} (its message stands above)"
}

# A stamp is valid for one list of requirements, one version of this script, and one path of the checkout.
stamp_of() { { cat "$@" scripts/setup_bench.sh; printf '%s' "$root"; } | sha256sum | cut -d ' ' -f 1; }

setup_exudyn() {
  local key python
  key=$(stamp_of "$requirements")
  if [[ -f $venv/.setup && $(<"$venv/.setup") == "$key" ]] && "$venv/bin/python" -c 'import exudyn' 2>/dev/null; then
    return
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
}

setup_pyelastica() {
  setup_exudyn
  if [[ $("$venv/bin/python" -c 'from importlib.metadata import version; print(version("pyelastica"))' 2>/dev/null) == "$pyelastica" ]]; then
    return
  fi
  say "installing PyElastica $pyelastica"
  "$venv/bin/python" -m pip install --quiet "pyelastica==$pyelastica" || fail "pip could not install pyelastica"
}

setup_simbody() {
  local key program=$venv/bin/spheres_simbody
  key=$(stamp_of "$simbody_source")
  if [[ -x $program && -f $venv/.setup-simbody && $(<"$venv/.setup-simbody") == "$key" ]]; then return; fi
  install_debian_packages "${simbody_packages[@]}"
  mkdir -p "$venv/bin"
  say "compiling $simbody_source"
  g++ -std=c++17 -O2 -isystem /usr/include/simbody -DSIMBODY_VERSION="\"$(dpkg-query -W -f='${Version}' libsimbody-dev)\"" \
    "$simbody_source" -o "$program" -lSimTKsimbody -lSimTKmath -lSimTKcommon || fail "g++ could not compile $simbody_source"
  printf '%s\n' "$key" >"$venv/.setup-simbody"
}

for word in "$@"; do
  [[ $word == --exudyn || $word == --pyelastica || $word == --simbody ]] ||
    fail "unknown argument '$word'; usage: scripts/setup_bench.sh [--exudyn] [--pyelastica] [--simbody]"
done
for word in "${@:---exudyn}"; do "setup_${word#--}"; done
