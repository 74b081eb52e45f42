#!/usr/bin/env bash
# This script runs the tests with the BLAS kernels of OpenBLAS and the machine code of numba for other processors.
# usage: scripts/processors.sh [PROCESSOR ...] [-- ARGUMENTS OF PYTEST]
#        PROCESSOR: generic, haswell, skylake-avx512, znver3, or "bounds"; default: all of these that this processor can
#        run. With "bounds", kernels check their indices, because memory beyond an array differs between machines.
# The script is part of the list before a release (CONTRIBUTING.md). For each processor, the run lasts as long as
# `make test`, and the first run compiles all kernels.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# name, OPENBLAS_CORETYPE, NUMBA_CPU_NAME, and the flag of /proc/cpuinfo that the machine code requires
known=(
  "generic NEHALEM x86-64 sse4_2"
  "haswell HASWELL haswell avx2"
  "skylake-avx512 SKYLAKEX skylake-avx512 avx512vl"
  "znver3 ZEN znver3 avx2"
  "bounds - - fpu"
)

names=()
while [[ $# -gt 0 && $1 != -- ]]; do
  names+=("$1")
  shift
done
[[ ${1:-} == -- ]] && shift
for name in "${names[@]}"; do
  if ! printf '%s\n' "${known[@]%% *}" | grep -qx -- "$name"; then
    printf 'processors: %s: must be one of: %s\n' "$name" "$(printf '%s ' "${known[@]%% *}")" >&2
    exit 2
  fi
done

scripts/setup.sh --test || exit 1
failed=() ran=0
for entry in "${known[@]}"; do
  read -r name blas numba flag <<<"$entry"
  if [[ ${#names[@]} -gt 0 ]] && ! printf '%s\n' "${names[@]}" | grep -qx -- "$name"; then
    continue
  fi
  if ! grep -qw "$flag" /proc/cpuinfo; then
    printf 'processors: %s: this processor lacks %s, left out\n' "$name" "$flag"
    continue
  fi
  settings=("OPENBLAS_CORETYPE=$blas" "NUMBA_CPU_NAME=$numba" NUMBA_CPU_FEATURES=)
  [[ $name == bounds ]] && settings=(WINDLASS_BOUNDSCHECK=1)
  printf '\n=== %s: %s\n' "$name" "${settings[*]}"
  ran=$((ran + 1))
  env "${settings[@]}" make --no-print-directory pytest PYTEST_ARGS="-q $*" || failed+=("$name")
done

if [[ ${#failed[@]} -gt 0 ]]; then
  printf '\nprocessors: FAILED on %s\n' "${failed[*]}"
  exit 1
fi
[[ $ran -gt 0 ]] || { printf 'processors: none of them can run here\n' >&2; exit 1; }
printf '\nprocessors: all passed on %d\n' "$ran"
