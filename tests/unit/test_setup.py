"""Tests of the set-up script on unsupported systems, and of the report of `windlass doctor`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from windlass.commands import doctor

ROOT = Path(__file__).resolve().parents[2]
DEBIAN_12 = 'ID=debian\nVERSION_ID="12"\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with only the files that the script reads."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup.sh", folder / "scripts" / "setup.sh")
    shutil.copy(ROOT / "pyproject.toml", folder / "pyproject.toml")
    return folder


def run_setup(
    checkout: Path,
    *arguments: str,
    os_release: str = DEBIAN_12,
    tools: dict[str, str] | None = None,
    path: str = os.environ["PATH"],
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Call the script with a given /etc/os-release.

    The programs `tools` (name -> shell text) are found before the programs of `path`.
    """
    release = checkout.parent / "os-release"
    release.write_text(os_release)
    bin_folder = checkout.parent / "bin"
    bin_folder.mkdir(exist_ok=True)
    for name, text in (tools or {}).items():
        (bin_folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (bin_folder / name).chmod(0o755)
    environment = {"PATH": f"{bin_folder}:{path}", "WINDLASS_OS_RELEASE": str(release)} | environment
    return subprocess.run(
        ["bash", str(checkout / "scripts" / "setup.sh"), *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=environment,
    )


def assert_refused(run: subprocess.CompletedProcess[str], checkout: Path, reason: str) -> None:
    """Check exit code 1, the reason and all three solutions on stderr, and that no file is written."""
    assert run.returncode == 1
    for text in (reason, "environment.yml", "Dockerfile", "pip install -e .", "Nothing was changed"):
        assert text in run.stderr
    assert run.stdout == ""
    assert sorted(path.name for path in checkout.iterdir()) == ["pyproject.toml", "scripts"]


@pytest.mark.parametrize(
    ("os_release", "named"),
    [
        ('ID=ubuntu\nVERSION_ID="22.04"\n', "'ubuntu 22.04'"),
        ('ID=debian\nVERSION_ID="11"\n', "'debian 11'"),
        ("ID=arch\n", "'arch'"),
    ],
)
def test_other_system_is_refused(checkout: Path, os_release: str, named: str) -> None:
    assert_refused(run_setup(checkout, os_release=os_release), checkout, named)


def test_system_without_os_release_is_refused(checkout: Path) -> None:
    missing = checkout / "none"
    assert_refused(run_setup(checkout, WINDLASS_OS_RELEASE=str(missing)), checkout, f"No {missing}")


def test_other_architecture_is_refused(checkout: Path) -> None:
    run = run_setup(checkout, tools={"dpkg": "echo riscv64"})
    assert_refused(run, checkout, "'riscv64'")


def test_other_python_is_refused(checkout: Path) -> None:
    run = run_setup(checkout, tools={"dpkg": "echo amd64", "other-python": "exit 1"}, PYTHON="other-python")
    assert_refused(run, checkout, "PYTHON=other-python is not a CPython 3.11, which petsc4py of debian 12 is made for")


@pytest.mark.parametrize(
    ("os_release", "version"),
    [(DEBIAN_12, "3.11"), ('ID=debian\nVERSION_ID="13"\n', "3.13"), ('ID=ubuntu\nVERSION_ID="24.04"\n', "3.12")],
)
def test_each_system_has_its_python(checkout: Path, os_release: str, version: str) -> None:
    """petsc4py of each system is made for the Python of this system."""
    tools = {"dpkg": "echo amd64", "other-python": "exit 1"}
    run = run_setup(checkout, tools=tools, os_release=os_release, PYTHON="other-python")
    assert_refused(run, checkout, f"is not a CPython {version},")


def test_named_files_are_there() -> None:
    for name in ("environment.yml", "Dockerfile"):
        assert "UNTESTED" in (ROOT / name).read_text().partition("\n")[0]


def test_unknown_argument_is_refused(checkout: Path) -> None:
    run = run_setup(checkout, "--tests")
    assert run.returncode == 1
    assert "unknown argument '--tests'" in run.stderr


def test_environment_with_another_python_is_kept(checkout: Path) -> None:
    """An environment that the script did not create is reported and not replaced."""
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(checkout / "gone")
    run = run_setup(checkout, tools={"dpkg": "echo amd64"})
    assert run.returncode == 1
    assert f"{checkout}/.venv holds another Python" in run.stderr
    assert python.is_symlink()


def test_build_leaves_an_environment_of_the_system_alone(checkout: Path) -> None:
    """PETSc is not built into an environment that uses the PETSc of the system."""
    link = checkout / ".venv/lib/python3.11/site-packages/petsc-system.pth"
    link.parent.mkdir(parents=True)
    link.write_text("/usr/lib/petscdir")
    run = run_setup(checkout, "--build-petsc", tools={"dpkg": "echo amd64"})
    assert run.returncode == 1
    assert "choose another environment, as in WINDLASS_VENV=.venv-petsc" in run.stderr
    assert link.read_text() == "/usr/lib/petscdir"


# A shell script that replaces Python in an environment. Its command "pip download" writes source archives.
# Configuration and installation of these sources are only logged.
PIP = """case "$*" in
  *"-m venv "*) for folder; do :; done; mkdir -p "$folder/bin"; cp "$0" "$folder/bin/python" ;;
  *" download "*)
    for name; do :; done
    while [ "$1" != --dest ]; do shift; done
    mkdir -p "$2/$name-3.99.1"
    printf 'echo configure %s "$@" >>"$LOG"\n' "$name" >"$2/$name-3.99.1/configure"
    touch "$2/$name-3.99.1/setup.py"
    tar -czf "$2/$name-3.99.1.tar.gz" -C "$2" "$name-3.99.1" && rm -r "$2/$name-3.99.1" ;;
  *" install "*) echo "pip $*" >>"$LOG" ;;
  ./configure*) sh "$@" ;;
esac"""
MAKE = """name=$(basename "$PWD")
if [ "$1 $name" = "all $STOPPED" ]; then echo "no room left"; exit 1; fi
echo "make $* $name" >>"$LOG" """


def build_petsc(checkout: Path, stopped: str = "") -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Call the script with --build-petsc and with tools that only log their calls. One of the tools fails in the folder
    `stopped`.

    Return the log.
    """
    log = checkout.parent / "log"
    log.write_text("")
    compilers = dict.fromkeys(("mpicc", "mpicxx", "mpif90"), "exit 0")
    run = run_setup(
        checkout,
        "--build-petsc",
        os_release="ID=arch\n",
        tools={"python3.13": PIP, "make": MAKE, **compilers},
        PYTHON="python3.13",
        WINDLASS_VENV=".venv-petsc",
        STOPPED=stopped,
        LOG=str(log),
    )
    return run, log.read_text().splitlines()


@pytest.mark.parametrize("name", ["petsc", "slepc"])
def test_build_continues_where_it_was_stopped(checkout: Path, name: str) -> None:
    """A stopped compilation continues without a second configuration or download, and finished parts do not change."""
    environment = checkout / ".venv-petsc"
    run, done = build_petsc(checkout, f"{name}-3.99.1")
    assert run.returncode == 1
    assert "about 15 minutes" in run.stdout and "continues where it was stopped" in run.stdout
    assert f"compiling {name} failed: see {environment}/petsc-build/{name}.log" in run.stderr
    assert "no room left" in (environment / f"petsc-build/{name}.log").read_text()
    assert sum(line.startswith("configure petsc ") for line in done) == 1
    configured = next(line for line in done if line.startswith(f"configure {name} "))
    assert f"--prefix={environment}/{name}" in configured
    assert not (checkout / ".venv").exists()

    _, done = build_petsc(checkout)
    assert not any(line.startswith(f"configure {name} ") for line in done)
    steps = [line for line in done if not line.startswith(("pip install", "configure")) and "4py" not in line]
    expected = [f"make {step} {part}-3.99.1" for part in ("petsc", "slepc") for step in ("all", "install")]
    assert [line for line in steps if line.startswith("make")] == expected[0 if name == "petsc" else 2 :]
    assert (environment / ".petsc-built").exists()


def run_without_debian_packages(
    checkout: Path, *words: str, user: int, **tools: str
) -> subprocess.CompletedProcess[str]:
    """Call the script as the user with the number `user`. Only the Debian packages and tools that the script needs
    before the check are available.
    """
    bin_folder = checkout.parent / "tools"
    bin_folder.mkdir()
    for name in ("bash", "cat", "cut", "dirname", "env", "sha256sum", "sh"):
        (bin_folder / name).symlink_to(str(shutil.which(name)))
    fakes = {"id": f"echo {user}", "dpkg": "echo amd64", "dpkg-query": "exit 1", "apt-get": 'echo "$@" >&2; exit 1'}
    return run_setup(checkout, *words, tools=fakes | tools, path=str(bin_folder))


@pytest.mark.parametrize("tools", [{}, {"sudo": "exit 1"}])
def test_missing_packages_without_root_are_named(checkout: Path, tools: dict[str, str]) -> None:
    """If sudo is missing or refuses, the script prints the command for an administrator."""
    run = run_without_debian_packages(checkout, user=1000, **tools)
    assert run.returncode == 1
    assert "apt-get install -y --no-install-recommends python3-petsc4py-real python3-slepc4py-real" in run.stderr
    assert not (checkout / ".venv").exists()


def test_build_needs_compilers_and_libraries_in_place_of_petsc(checkout: Path) -> None:
    run = run_without_debian_packages(checkout, "--build-petsc", user=1000)
    assert run.returncode == 1
    assert "about 15 minutes" in run.stdout
    for package in ("gfortran", "libopenmpi-dev", "libmumps-dev", "libscalapack-mpi-dev", "libmetis-dev"):
        assert f" {package} " in run.stderr
    assert "petsc4py" not in run.stderr


def test_sudo_is_used_where_not_root_and_never_waits_for_a_password(checkout: Path) -> None:
    run = run_without_debian_packages(checkout, user=1000, sudo='echo "sudo $@" >&2; exit 0')
    assert "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get" in run.stderr
    assert "openmpi-bin" in run.stderr


def test_failing_apt_get_ends_the_script(checkout: Path) -> None:
    run = run_without_debian_packages(checkout, user=0)
    assert run.returncode == 1
    assert "apt-get could not install: python3-petsc4py-real" in run.stderr
    assert not (checkout / ".venv").exists()


@pytest.fixture
def few_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exclude superlu_dist from reports within this process, because PETSc 3.18 may crash at exit after two uses of
    superlu_dist.
    """
    monkeypatch.setattr(doctor, "SOLVER_PACKAGES", ("petsc", "no_such_solver"))


def test_command_reports_and_succeeds(tmp_path: Path) -> None:
    """The command `windlass doctor` runs in its own process and ends successfully after a trial of all packages."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "windlass.commands.cli", "doctor"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    names = (*doctor.REQUIRED_PACKAGES, "python", "petsc4py", "mpi4py", "solver packages", "compiler cache", "verdict")
    for name in names:
        assert f"\n{name}:" in run.stdout
    assert run.stdout.splitlines()[-1].split() == ["verdict:", "ready"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few_packages")
def test_report_names_solver_packages_that_solve() -> None:
    """The report names PETSc's own LU, which every build has. A package name that no build has is not treated as
    usable.
    """
    text, ready = doctor.report()
    assert ready, text
    (line,) = (line for line in text.splitlines() if line.startswith("solver packages:"))
    assert line.split(maxsplit=2)[2] == "petsc; not in this PETSc: no_such_solver"
    assert "no parallel direct solver" in text


@pytest.mark.usefixtures("few_packages")
def test_report_says_how_to_mend_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "REQUIRED_PACKAGES", ("numpy", "no_such_package"))
    text, ready = doctor.report()
    assert not ready
    verdict = text.splitlines()[-1]
    assert "not ready" in verdict
    assert "no_such_package does not load" in verdict
    assert "make setup" in verdict


@pytest.mark.usefixtures("few_packages")
@pytest.mark.parametrize(("threads", "warned"), [("8", True), ("1", False), (None, False)])
def test_report_warns_of_several_threads(monkeypatch: pytest.MonkeyPatch, threads: str | None, warned: bool) -> None:
    if threads is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
    text, ready = doctor.report()
    assert ready, text
    assert ("note:             OMP_NUM_THREADS=" in text) == warned


@pytest.mark.usefixtures("few_packages")
def test_report_tells_of_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The report names a cache that cannot be written.

    The test puts a file at the path of the folder, so not even root can write the cache.
    """
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("WINDLASS_CACHE", str(file / "folder"))
    text, ready = doctor.report()
    assert ready, text
    assert "compiler cache:   none: the cache folder" in text
    assert "set WINDLASS_CACHE" in text
    monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path / "new"))
    text, ready = doctor.report()
    assert f"compiler cache:   {tmp_path / 'new'}" in text
    assert "(0 files), writable" in text
