#!/usr/bin/env bash
# This script installs the programs that Windlass requires: PETSc, SLEPc and MPI as packages of the system, and the
# Python packages into .venv.
# usage: scripts/setup.sh [--test|--docs] [--build-petsc]
#   --test         also installs the test extra (vtk, pytest, ruff, mypy, codespell, import-linter),
#   --docs         also installs the docs extra (Sphinx, MyST, furo) and EGL for the scenes of notebooks,
#   --build-petsc  builds the newest PETSc and SLEPc in the environment, from the sources that pip finds, instead of the
#                  packages of the system. The build takes about 15 minutes on two cores. If the build was stopped, the
#                  next call of the script continues the build.
# The script supports Debian 12 and 13 (tested) and Ubuntu 24.04 (untested; its packages have the same names). The
# option --build-petsc also supports other systems (untested) with MPI, compilers for C, C++ and Fortran, make, BLAS and
# LAPACK.
# WINDLASS_VENV=FOLDER selects the environment, default .venv; make also uses this variable.
# PYTHON=/path/to/python selects the interpreter. Its version must be the version of the system's Python, for which the
# system's petsc4py is built, or, with --build-petsc, one of 3.11 to 3.13. The options PETSC_CONFIGURE_OPTIONS and
# SLEPC_CONFIGURE_OPTIONS are added to the options of this script. WINDLASS_OS_RELEASE=FILE replaces /etc/os-release in
# tests.
set -euo pipefail
export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
venv=${WINDLASS_VENV:-.venv}
[[ $venv == /* ]] || venv=$root/$venv
packages=(python3-petsc4py-real python3-slepc4py-real openmpi-bin libopenblas0-serial)
# packages that are required to build PETSc
tools=(gcc g++ gfortran make openmpi-bin libopenmpi-dev libopenblas-serial-dev libmumps-dev libscalapack-mpi-dev
  libmetis-dev libptscotch-dev libsuitesparse-dev)
# packages that draw the scenes of notebooks without a screen
drawing=(libegl1 libgl1-mesa-dri)
# version of Python of each supported system
declare -A python_of=(["debian 12"]=3.11 ["debian 13"]=3.13 ["ubuntu 24.04"]=3.12)
versions=() # suitable versions of Python

say() { printf 'setup: %s\n' "$*"; }

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

unsupported() {
  cat >&2 <<END
setup: $1
setup: Nothing was changed. This script knows Debian 12 and 13 and Ubuntu 24.04 on amd64 and arm64. Elsewhere, either
  - from source, with MPI, BLAS and compilers for C, C++ and Fortran: scripts/setup.sh --build-petsc
  - conda (environment.yml, untested):  conda env create -f environment.yml && conda activate windlass
  - a container (Dockerfile, untested): docker build -t windlass . && docker run --rm -it windlass bash
  - by hand: CPython 3.11 to 3.13 with NumPy >= 1.26, PETSc >= 3.18 with MPI, real scalars, MUMPS and SuiteSparse, and
    the petsc4py of the same version (for modes SLEPc and slepc4py, too); then in that environment: pip install -e .
and then: windlass doctor && windlass run examples/belt_drive.py
END
  exit 1
}

# Return whether an interpreter is a CPython of a suitable version.
fits() {
  "$1" -c 'import platform, sys
sys.exit(platform.python_implementation() != "CPython" or "%d.%d" % sys.version_info[:2] not in sys.argv[1:])' \
    "${versions[@]}" 2>/dev/null
}

# Print the path of a suitable CPython that can create a venv, or nothing.
find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} "${versions[@]/#/python}" python3 "${versions[@]/#//usr/bin/python}"; do
    if fits "$candidate" && "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
}

check_system() {
  local release=${WINDLASS_OS_RELEASE:-/etc/os-release} name architecture reason
  if [[ -n $built ]]; then
    versions=(3.11 3.12 3.13) reason="of one of the versions ${versions[*]}"
    if ! name=$(. "$release" 2>/dev/null && printf '%s' "${ID:-unknown}${VERSION_ID:+ $VERSION_ID}") ||
      [[ -z ${python_of[$name]:-} ]]; then
      tools=() drawing=() # names of packages are known only for supported systems
    else
      # the version of the system is preferred, because its packages are available
      versions=("${python_of[$name]}" "${versions[@]}")
    fi
  else
    [[ -r $release ]] || unsupported "No $release, so this is no Debian or Ubuntu."
    name=$(. "$release" && printf '%s' "${ID:-unknown}${VERSION_ID:+ $VERSION_ID}")
    [[ -n ${python_of[$name]:-} ]] || unsupported "This system is '$name'."
    versions=("${python_of[$name]}") reason="${versions[0]}, which petsc4py of $name is made for"
    architecture=$(dpkg --print-architecture 2>/dev/null || uname -m)
    [[ $architecture == amd64 || $architecture == arm64 ]] ||
      unsupported "The processor architecture is '$architecture', not amd64 or arm64."
  fi
  if [[ -n ${PYTHON:-} ]] && ! fits "$PYTHON"; then
    unsupported "PYTHON=$PYTHON is not a CPython $reason."
  fi
  if [[ -L $venv/bin/python ]] && ! fits "$venv/bin/python"; then
    fail "$venv holds another Python than CPython ${versions[*]}, or one that is gone: remove it or move it away, then call this again."
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
    # Without a terminal, no password can be entered.
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

# petsc4py and slepc4py of the system are in the folders of their versions, which are not on the search path of Python.
# pip must find petsc4py before it resolves the dependencies of Windlass; otherwise pip would build PETSc from source.
link_library() {
  local library=$1 site modules
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  # if several versions are installed, the newest version is used
  mapfile -t modules < <(printf '%s\n' /usr/lib/"$library"dir/"$library"*/*-linux-gnu-real/lib/python3/dist-packages | sort -V)
  [[ -d ${modules[-1]} ]] ||
    fail "no ${library}4py under /usr/lib/${library}dir/${library}*/ although its package is installed"
  printf '%s\n' "${modules[-1]}" >"$site/$library-system.pth"
  rm -f "$site/$library-debian.pth"
  "$venv/bin/python" -c "import importlib.metadata as m; m.version('${library}4py')" ||
    fail "the Python in $venv does not see ${library}4py through $site/$library-system.pth"
}

# A petsc4py that was built with NumPy 1 does not load with NumPy 2. The system's petsc4py was built with the system's
# NumPy.
choose_numpy() {
  local made_with
  if [[ -n $built ]]; then
    printf 'numpy'
    return
  fi
  made_with=$(dpkg-query -W -f='${Version}' python3-numpy 2>/dev/null) || true
  if [[ ${made_with#*:} == 1.* ]]; then printf 'numpy<2'; else printf 'numpy'; fi
}

# Print the options of PETSc's configure for the installed libraries, one option per line. Libraries are recognised by
# their headers.
list_libraries() {
  local name header folder include libraries scalapack=-lscalapack
  if compgen -G '/usr/lib/*/libscalapack-openmpi.so' >/dev/null; then scalapack=-lscalapack-openmpi; fi
  if compgen -G '/usr/lib/*/libopenblas.so' >/dev/null; then echo '--with-blaslapack-lib=-lopenblas'; fi
  if compgen -G '/usr/lib*/**/libscalapack*.so' >/dev/null; then echo "--with-scalapack-lib=$scalapack"; fi
  while read -r name header folder libraries; do
    for include in /usr/include /usr/include/"$folder"; do
      if [[ -e $include/$header ]]; then
        printf '%s\n' "--with-$name-include=$include" "--with-$name-lib=$libraries"
        break
      fi
    done
  done <<'END'
metis metis.h metis -lmetis
mumps dmumps_c.h MUMPS -ldmumps -lzmumps -lsmumps -lcmumps -lmumps_common -lpord
ptscotch ptscotch.h scotch -lptesmumps -lptscotch -lptscotcherr -lscotch -lscotcherr
suitesparse umfpack.h suitesparse -lspqr -lumfpack -lklu -lcholmod -lbtf -lccolamd -lcolamd -lcamd -lamd -lsuitesparseconfig
END
}

# Configure, compile and install a library in its folder of sources; steps that have already been completed are skipped.
# usage: build_library NAME VERSION CONFIGURE_OPTION...
build_library() {
  local name=$1 folder=$build/$1-$2 start options=("${@:3}")
  [[ -e $build/$name.done ]] && return
  (
    cd "$folder"
    run() {
      start=$SECONDS
      say "$1 $name (messages in $build/$name.log)"
      "${@:2}" >>"$build/$name.log" 2>&1 </dev/null || fail "$1 $name failed: see $build/$name.log"
      say "  $((SECONDS - start)) s"
    }
    if [[ ! -e .configured || $(<.configured) != "${options[*]}" ]]; then
      run configuring "$venv/bin/python" ./configure "${options[@]}"
      printf '%s' "${options[*]}" >.configured
    fi
    run compiling make all
    run installing make install
  )
  touch "$build/$name.done"
}

# Build PETSc, SLEPc and their Python packages in the environment. The sources remain in the environment until the build
# is complete.
build_petsc() {
  local name version options=() more=()
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
  unset PETSC_DIR PETSC_ARCH SLEPC_DIR
  for name in mpicc mpicxx mpif90 make; do
    command -v "$name" >/dev/null || fail "$name is missing, which PETSc is built with"
  done
  mkdir -p "$build"
  "$venv/bin/python" -m pip install --quiet 'setuptools>=77' wheel 'cython>=3' numpy
  for name in petsc slepc; do
    if ! compgen -G "$build/$name-*/setup.py" >/dev/null; then
      "$venv/bin/python" -m pip download --quiet --no-deps --no-build-isolation --no-binary :all: --dest "$build" "$name"
      mkdir -p "$build/unpacked"
      tar -xzf "$build/$name"-*.tar.gz -C "$build/unpacked"
      mv "$build/unpacked/$name"-* "$build"
    fi
    version=$(compgen -G "$build/$name-*/setup.py" | sed "s|.*/$name-\([^/]*\)/setup.py|\1|")
    say "$name $version"
    if [[ $name == petsc ]]; then
      mapfile -t options < <(list_libraries)
      read -ra more <<<"${PETSC_CONFIGURE_OPTIONS:-}"
      # components that Windlass does not use are omitted
      build_library petsc "$version" PETSC_ARCH=arch-windlass --prefix="$venv/petsc" --with-debugging=0 \
        --with-shared-libraries=1 --with-cc=mpicc --with-cxx=mpicxx --with-fc=mpif90 COPTFLAGS=-O2 CXXOPTFLAGS=-O2 \
        FOPTFLAGS=-O2 --with-fortran-bindings=0 --with-x=0 --with-cuda=0 --with-cudac=0 --with-hip=0 --with-hipc=0 \
        --with-syclc=0 --with-sowing=0 --with-c2html=0 \
        "${options[@]}" "${more[@]}"
      export PETSC_DIR=$venv/petsc
    else
      read -ra more <<<"${SLEPC_CONFIGURE_OPTIONS:-}"
      build_library slepc "$version" --prefix="$venv/slepc" "${more[@]}"
      export SLEPC_DIR=$venv/slepc
    fi
    if [[ ! -e $build/${name}4py.done ]]; then
      say "compiling ${name}4py"
      "$venv/bin/python" -m pip install --quiet --no-deps --no-build-isolation "$build/$name-$version/src/binding/${name}4py" ||
        fail "${name}4py could not be built (its message stands above)"
      touch "$build/${name}4py.done"
    fi
  done
  rm -f "$build"/*.tar.gz
  rm -rf "$build"/petsc-* "$build"/slepc-* "$build/unpacked"
  touch "$venv/.petsc-built"
}

usage="usage: scripts/setup.sh [--test|--docs] [--build-petsc]"
extra=base wanted=
for argument in "$@"; do
  case $argument in
    --test) extra=test ;;
    --docs) extra=docs ;;
    --build-petsc) wanted=1 ;;
    *) fail "unknown argument '$argument'; $usage" ;;
  esac
done
build=$venv/petsc-build
# The kind of PETSc in an environment does not change: a PETSc that was built there, completely or in part, is not
# replaced by the PETSc of the system, and the PETSc of the system is not replaced by a built PETSc.
built=$wanted
if [[ -d $build ]]; then built=1; fi
if [[ -n $wanted ]] && compgen -G "$venv/lib/python*/site-packages/petsc-system.pth" >/dev/null; then
  fail "$venv has the PETSc of the system: choose another environment, as in WINDLASS_VENV=.venv-petsc $0 --build-petsc"
fi

# A stamp is valid for one version of pyproject.toml and of this script, and for one path of the checkout. All extras
# include the base.
check_system
key=$({ cat pyproject.toml scripts/setup.sh; printf '%s' "$root"; } | sha256sum | cut -d ' ' -f 1)
stamped() { [[ -f $venv/.setup-$1 && $(<"$venv/.setup-$1") == "$key" ]]; }
is_there() { stamped "$extra" || { [[ $extra == base ]] && { stamped test || stamped docs; }; }; }
if is_there && "$venv/bin/python" -c 'from petsc4py import PETSc; import slepc4py' 2>/dev/null; then
  exit 0
fi

if [[ -n $built && ! -e $venv/.petsc-built ]]; then
  say "PETSc and SLEPc are built from source: about 15 minutes on two cores, and 1 GB in $venv meanwhile."
  say "This can be stopped at any time; the same command continues where it was stopped."
fi
has_pip() { "$venv/bin/python" -c 'import pip' 2>/dev/null; }
python=$(find_python)
if [[ -n $built ]]; then packages=("${tools[@]}"); fi
if ! has_pip && [[ -z $python ]]; then
  [[ ${#packages[@]} -gt 0 ]] || fail "no CPython ${versions[*]} with the modules venv and ensurepip was found: set PYTHON"
  packages+=(python3 python3-venv)
  python=/usr/bin/python${versions[0]}
fi
# the compilation of petsc4py requires the headers of Python
if [[ -n $built && ${#packages[@]} -gt 0 && $(command -v "$python") == /usr/bin/* ]]; then packages+=(python3-dev); fi
if [[ $extra == docs ]]; then packages+=("${drawing[@]}"); fi
install_packages "${packages[@]}"

if ! has_pip; then
  say "making ${venv#"$root"/} with $("$python" -c 'import platform, sys; print(sys.executable, platform.python_version())')"
  "$python" -m venv "$venv"
fi
if [[ -z $built ]]; then
  link_library petsc
  link_library slepc
elif [[ ! -e $venv/.petsc-built ]]; then
  build_petsc
fi

if [[ $extra == test ]]; then
  say "installing Python packages with the test extra (about 380 MB when all are missing, nearly half of it vtk)"
  target='.[test]'
elif [[ $extra == docs ]]; then
  say "installing Python packages with the docs extra (about 190 MB when all are missing)"
  target='.[docs]'
else
  say "installing Python packages (about 150 MB when all are missing)"
  target=.
fi
"$venv/bin/python" -m pip install --quiet --editable "$target" "$(choose_numpy)"
# Type checkers and editors do not find an editable installation by its hooks, but find the package by a path.
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
