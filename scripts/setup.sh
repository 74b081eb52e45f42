#!/usr/bin/env bash
# Installs what Windlass needs: PETSc, SLEPc and MPI as packages of the system, the Python packages into .venv.
# usage: scripts/setup.sh [--test|--docs]      --test adds the test extra (vtk, pytest, ruff, mypy, import-linter),
#                                             --docs what the documentation site needs (Sphinx, MyST, furo)
# Systems: Debian 12 and 13 (tested), Ubuntu 24.04 (untested; its packages have the same names).
# PYTHON=/path/to/python chooses the interpreter, which must have the version of the system's Python, as the system's
# petsc4py is made for it; WINDLASS_OS_RELEASE=FILE replaces /etc/os-release (for tests).
set -euo pipefail
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
venv=$root/.venv
packages=(python3-petsc4py-real python3-slepc4py-real openmpi-bin libopenblas0-serial)
# the Python of each system that this script knows
declare -A python_of=(["debian 12"]=3.11 ["debian 13"]=3.13 ["ubuntu 24.04"]=3.12)
version=

say() { printf 'setup: %s\n' "$*"; }

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

unsupported() {
  cat >&2 <<END
setup: $1
setup: Nothing was changed. This script knows Debian 12 and 13 and Ubuntu 24.04 on amd64 and arm64. Elsewhere, either
  - conda (environment.yml, untested):  conda env create -f environment.yml && conda activate windlass
  - a container (Dockerfile, untested): docker build -t windlass . && docker run --rm -it windlass bash
  - by hand: CPython 3.11 to 3.13 with NumPy >= 1.26, PETSc >= 3.18 with MPI, real scalars, MUMPS and SuiteSparse, and
    the petsc4py of the same version (for modes SLEPc and slepc4py, too); then in that environment: pip install -e .
and then: windlass doctor && windlass run examples/belt_drive.py
END
  exit 1
}

# Whether an interpreter is the CPython of the version that the system's petsc4py is made for.
fits() {
  "$1" -c 'import platform, sys
sys.exit(platform.python_implementation() != "CPython" or "%d.%d" % sys.version_info[:2] != sys.argv[1])' \
    "$version" 2>/dev/null
}

# A CPython of this version that can make a venv, or nothing.
find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} "python$version" python3 "/usr/bin/python$version"; do
    if fits "$candidate" && "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

check_system() {
  local release=${WINDLASS_OS_RELEASE:-/etc/os-release} name architecture
  [[ -r $release ]] || unsupported "No $release, so this is no Debian or Ubuntu."
  name=$(. "$release" && printf '%s' "${ID:-unknown}${VERSION_ID:+ $VERSION_ID}")
  version=${python_of[$name]:-}
  [[ -n $version ]] || unsupported "This system is '$name'."
  architecture=$(dpkg --print-architecture 2>/dev/null || uname -m)
  [[ $architecture == amd64 || $architecture == arm64 ]] ||
    unsupported "The processor architecture is '$architecture', not amd64 or arm64."
  if [[ -n ${PYTHON:-} ]] && ! fits "$PYTHON"; then
    unsupported "PYTHON=$PYTHON is not a CPython $version, which petsc4py of $name is made for."
  fi
  if [[ -L $venv/bin/python ]] && ! fits "$venv/bin/python"; then
    fail "$venv holds another Python than CPython $version, or one that is gone: remove it or move it away, then call this again."
  fi
}

install_packages() {
  local package missing=() as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then return; fi
  say "installing packages of the system: ${missing[*]}"
  if [[ $(id -u) -ne 0 ]]; then
    as_root=(sudo)
    # Without a terminal nobody can type a password.
    if [[ ! -t 0 ]]; then as_root=(sudo -n); fi
    "${as_root[@]}" true || fail "Packages of the system are missing, and this is neither root nor does sudo work. As root:" \
      "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" \
      "Then call this again."
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0)
  "${apt[@]}" update || say "apt-get update failed; trying with the package lists at hand"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]} (its message stands above)"
}

# petsc4py and slepc4py of the system lie outside of the usual path, in the folder of their version; pip must see
# petsc4py before it resolves our dependencies, or it would build PETSc from source.
link_library() {
  local library=$1 site modules
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  # of several versions the newest
  mapfile -t modules < <(printf '%s\n' /usr/lib/"$library"dir/"$library"*/*-linux-gnu-real/lib/python3/dist-packages | sort -V)
  [[ -d ${modules[-1]} ]] ||
    fail "no ${library}4py under /usr/lib/${library}dir/${library}*/ although its package is installed"
  printf '%s\n' "${modules[-1]}" >"$site/$library-system.pth"
  rm -f "$site/$library-debian.pth"
  "$venv/bin/python" -c "import importlib.metadata as m; m.version('${library}4py')" ||
    fail "the Python in $venv does not see ${library}4py through $site/$library-system.pth"
}

# A petsc4py that was made with NumPy 1 does not load with NumPy 2: the system's NumPy is the one it was made with.
choose_numpy() {
  local made_with
  made_with=$(dpkg-query -W -f='${Version}' python3-numpy 2>/dev/null) || true
  if [[ ${made_with#*:} == 1.* ]]; then printf 'numpy<2'; else printf 'numpy'; fi
}

extra=base
case ${1:-} in
  "") ;;
  --test) extra=test ;;
  --docs) extra=docs ;;
  *) fail "unknown argument '$1'; usage: scripts/setup.sh [--test|--docs]" ;;
esac

# A stamp holds for one pyproject.toml, one script and one place; all extras include the base.
check_system
key=$({ cat pyproject.toml scripts/setup.sh; printf '%s' "$root"; } | sha256sum | cut -d ' ' -f 1)
stamped() { [[ -f $venv/.setup-$1 && $(<"$venv/.setup-$1") == "$key" ]]; }
is_there() { stamped "$extra" || { [[ $extra == base ]] && { stamped test || stamped docs; }; }; }
if is_there && "$venv/bin/python" -c 'from petsc4py import PETSc; import slepc4py' 2>/dev/null; then
  exit 0
fi

has_pip() { "$venv/bin/python" -c 'import pip' 2>/dev/null; }
python=$(find_python)
if ! has_pip && [[ -z $python ]]; then
  packages+=(python3 python3-venv)
  python=/usr/bin/python$version
fi
install_packages "${packages[@]}"

if ! has_pip; then
  say "making .venv with $("$python" -c 'import platform, sys; print(sys.executable, platform.python_version())')"
  "$python" -m venv "$venv"
fi
link_library petsc
link_library slepc

if [[ $extra == test ]]; then
  say "installing Python packages with the test extra (about 335 MB when all are missing, nearly half of it vtk)"
  target='.[test]'
elif [[ $extra == docs ]]; then
  say "installing Python packages with the docs extra (about 190 MB when all are missing)"
  target='.[docs]'
else
  say "installing Python packages (about 150 MB when all are missing)"
  target=.
fi
"$venv/bin/python" -m pip install --quiet --editable "$target" "$(choose_numpy)"
# The hooks of an editable installation are invisible to type checkers and editors, a path is not.
printf '%s\n' "$root/src" >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/windlass-types.pth"
"$venv/bin/python" -c 'from petsc4py import PETSc; import slepc4py, mpi4py.MPI, numba, scipy' ||
  fail "the packages are installed but do not load (message above)"
printf '%s\n' "$key" >"$venv/.setup-$extra"

verdict=$("$venv/bin/windlass" doctor 2>/dev/null </dev/null | tail -n 1) || true
if [[ $verdict == verdict:* ]]; then
  say "done; windlass doctor says" ${verdict#verdict:}
else
  say "done; see what windlass doctor says"
fi
