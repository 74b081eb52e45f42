"""The lists in pyproject.toml and the contents of a wheel agree with the source tree. The package can be imported from
a checkout without installation.
"""

import ast
import os
import runpy
import shlex
import subprocess
import sys
import tarfile
import tomllib
import traceback
import zipfile
from email.parser import Parser
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("framework", "elements", "connectors", "solvers")
OWN = ("commands", "exudyn", "fmu", "moordyn", "post")


setup = SimpleNamespace(**runpy.run_path(str(ROOT / "setup.py")))


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the source tree, so that builds do not change the checkout."""
    source = tmp_path_factory.mktemp("source")
    tracked = ("pyproject.toml", "setup.py", "LICENSE", "README.md", "src", "examples", *FOLDERS)
    subprocess.run(["cp", "-a", *(str(ROOT / name) for name in tracked), str(source)], check=True)
    subprocess.run(["git", "init", "-q", str(source)], check=True)
    subprocess.run(["git", "-C", str(source), "remote", "add", "origin", "git@example.org:owner/belts.git"], check=True)
    return source


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel of the source tree."""
    target = tmp_path_factory.mktemp("wheel")
    pip_wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    built = subprocess.run([*pip_wheel, "-w", str(target), str(source)], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (built_wheel,) = target.glob("windlass-*.whl")
    return built_wheel


@pytest.fixture(scope="module")
def source_distribution(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the source distribution of `make dist`."""
    target = tmp_path_factory.mktemp("sdist")
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(target), str(source)]
    built = subprocess.run(build, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (archive,) = target.glob("windlass-*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def wheel_names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def folders_with_modules() -> dict[str, str]:
    """Return import name -> folder relative to the root, for every folder below the four source folders that contains a
    Python file.
    """
    files = [path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return {".".join(("windlass", *file.parent.parts)): file.parent.as_posix() for file in files}


def own_folders() -> set[str]:
    """Return import names of the folders next to the package itself."""
    package = ROOT / "src" / "windlass"
    files = [path.relative_to(package) for name in OWN for path in (package / name).rglob("*.py")]
    return {".".join(("windlass", *file.parent.parts)) for file in files}


def stub_packages() -> set[str]:
    """Return the stub package, and its folders with stubs."""
    stubs = ROOT / "src" / "windlass-stubs"
    folders = {path.parent.relative_to(stubs).parts for path in stubs.rglob("*.pyi")}
    return {".".join(("windlass-stubs", *parts)) for parts in {(), *folders}}


def test_every_folder_with_modules_is_listed(project: dict[str, Any]) -> None:
    """Every folder with modules is listed, because a wheel silently omits folders that are missing from `packages`."""
    listed = project["tool"]["setuptools"]["packages"]
    assert len(listed) == len(set(listed))
    own = {"windlass", "windlass.examples", *own_folders(), *stub_packages()}
    assert set(listed) == {*own, *folders_with_modules()}


def test_every_package_maps_to_its_folder(project: dict[str, Any]) -> None:
    """Every package maps to its folder in `package-dir`, by its own entry or by the entry of its parent."""
    entries = project["tool"]["setuptools"]["package-dir"]
    expected = {"windlass": "src/windlass", "windlass-stubs": "src/windlass-stubs", "windlass.examples": "examples"}
    expected |= folders_with_modules()
    assert {name: expected.get(name) for name in entries} == entries
    assert {f"windlass.{folder}" for folder in FOLDERS} <= entries.keys()


def test_every_listed_package_has_an_init() -> None:
    missing = [folder for folder in folders_with_modules().values() if not (ROOT / folder / "__init__.py").is_file()]
    assert missing == []


def test_links_for_static_tools_are_relative() -> None:
    for folder in FOLDERS:
        assert os.readlink(ROOT / "src" / "windlass" / folder) == f"../../{folder}"


def test_wheel_holds_every_module_once(wheel_names: list[str]) -> None:
    sources = {f"windlass/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    sources |= {f"windlass/{path.name}" for path in (ROOT / "src" / "windlass").glob("*.py")}
    package = ROOT / "src" / "windlass"
    sources |= {f"windlass/{path.relative_to(package)}" for name in OWN for path in (package / name).rglob("*.py")}
    sources |= {f"windlass/examples/{path.name}" for path in (ROOT / "examples").glob("*.py")}
    modules = [name for name in wheel_names if name.endswith(".py")]
    assert sorted(modules) == sorted(sources)
    assert "windlass/framework/__init__.py" in modules


def test_wheel_is_typed_and_claims_one_top_level_name(wheel_names: list[str]) -> None:
    assert {"windlass/py.typed", "windlass/belts.toml", "windlass/lines.toml"} <= set(wheel_names)
    top = {name.partition("/")[0] for name in wheel_names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"windlass", "windlass-stubs"}
    stubs = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "windlass-stubs").rglob("*.pyi")}
    assert {name for name in wheel_names if name.startswith("windlass-stubs")} == {*stubs, "windlass-stubs/py.typed"}
    assert any(name.endswith("licenses/LICENSE") for name in wheel_names)


def test_version_is_written_once(project: dict[str, Any], wheel_names: list[str]) -> None:
    import windlass

    assert "version" in project["project"]["dynamic"]
    assert f"windlass-{windlass.__version__}.dist-info/METADATA" in wheel_names


def read_urls(metadata: str) -> list[str | None]:
    return Parser().parsestr(metadata).get_all("Project-URL", [])


def test_project_urls_are_those_of_the_origin(wheel: Path, source_distribution: Path, tmp_path: Path) -> None:
    """A wheel from a clone, a source distribution, and a wheel from this source distribution have the same URLs."""
    page = "https://example.org/owner/belts"
    files = f"{page}/blob/HEAD"
    urls = [f"Source, {page}", f"Issues, {page}/issues"]
    urls += [f"Documentation, {files}/docs/index.md", f"Changelog, {files}/CHANGELOG.md"]
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        assert read_urls(archive.read(name).decode()) == urls
    with tarfile.open(source_distribution) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    assert read_urls((unpacked / "PKG-INFO").read_text()) == urls
    assert [", ".join(item) for item in setup.find_urls(unpacked).items()] == urls


@pytest.mark.parametrize(
    "origin",
    [
        "https://example.org/owner/belts",
        "https://example.org/owner/belts.git",
        "https://user:token@example.org/owner/belts.git/",
        "ssh://git@example.org:2222/owner/belts.git",
        "git@example.org:owner/belts.git",
    ],
)
def test_project_urls_name_the_web_page_of_the_origin(origin: str) -> None:
    assert setup.create_urls(origin)["Source"] == "https://example.org/owner/belts"


def test_project_urls_keep_the_port_of_the_web_page() -> None:
    """Hosts of repositories may have a separate port for HTTPS."""
    assert setup.create_urls("https://example.org:8443/owner/belts.git")["Source"] == (
        "https://example.org:8443/owner/belts"
    )


@pytest.mark.parametrize(
    "origin",
    [
        "", "/srv/belts", "../belts.git", "file:///srv/belts.git", "C:/belts", "host:belts", "git@example.org:/o/r.git",
        "me@disk.example:/volume/git/belts.git", "http://example.org:3000/o/r.git", "https://a.b:tok/en@example.org/o/r",
    ],
)  # fmt: skip
def test_a_local_origin_gives_no_project_urls(origin: str) -> None:
    assert setup.create_urls(origin) == {}


def test_import_without_installation(tmp_path: Path) -> None:
    """With only src/ on the path and no installed packages, the folders next to src/ are imported as subpackages."""
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); import windlass.framework as f; print(f.__file__)"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout.strip() == str(ROOT / "framework" / "__init__.py"), run.stderr


def test_import_from_a_wheel_does_not_reach_for_siblings(wheel_names: list[str], tmp_path: Path) -> None:
    """After installation, the search path of `windlass` has only its own folder, although other packages lie next to
    it.
    """
    package = tmp_path / "lib" / "site-packages" / "windlass"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text((ROOT / "src" / "windlass" / "__init__.py").read_text())
    (package / "framework" / "launch").mkdir(parents=True)
    for name in ("__init__.py", "errors.py", *(f"launch/{name}.py" for name in ("__init__", "launcher", "lazy_names"))):
        (package / "framework" / name).write_text((ROOT / "framework" / name).read_text())
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r}); import windlass; print(list(windlass.__path__))"
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout.strip() == str([str(package)]), run.stderr


@pytest.mark.parametrize("package", ["windlass", *(f"windlass.{name}" for name in (*FOLDERS[:3], "exudyn"))])
def test_names_of_packages_are_those_that_type_checkers_see(package: str) -> None:
    """The pattern that reads the names of subpackages from the imports for type checkers finds each name."""
    module = import_module(package)
    tree = ast.walk(ast.parse(Path(str(module.__file__)).read_text()))
    imports = [node for node in tree if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith(f"{package}.")]
    listed = {alias.asname for node in imports for alias in node.names if alias.asname}
    assert listed == set(module.__all__)
    assert all(hasattr(module, name) for name in listed)


def test_misspelt_names_of_packages_are_corrected() -> None:
    """The error for an unknown name of a package suggests similar names once, in upper and lower case."""
    for package, name, message in (
        ("windlass", "Dynamics", "module 'windlass' has no attribute 'Dynamics': did you mean Dynamic?"),
        (
            "windlass.elements",
            "cable2d",
            "module 'windlass.elements' has no attribute 'cable2d': did you mean Cable2D or ",
        ),
        ("windlass.connectors", "CoordinateSpringDampr", "did you mean CoordinateSpringDamper or "),
        ("windlass.connectors", "zzz", "module 'windlass.connectors' has no attribute 'zzz'"),
    ):
        with pytest.raises(AttributeError) as raised:
            getattr(import_module(package), name)
        printed = "".join(traceback.format_exception_only(raised.value)).lower()
        assert message in str(raised.value)
        assert printed.count("did you mean") == ("did you mean" in message)


INSTALLED_COMMANDS = (
    "version",
    "doctor",
    "examples",
    "examples mass_on_springs",
    "run mass_on_springs.py -report report.html -summary summary.json",
    "run mass_on_springs.py -help",
    "modes mass_on_springs.py -modes_count 2",
    "sweep mass_on_springs.py -dynamic_step 1e-3,2e-3 -output steps",
    "optimise mass_on_springs.py -minimise frequencies.0 -mass 1:3 -output best -runs 2",
    "uncertainty mass_on_springs.py -mass normal:2:0.1 -output spread",
    "tune mass_on_springs.py -catalogue false -try '-dynamic_pc_type lu,bjacobi' -rounds 1",
    "run rope.py",
    "show rope.vtkhdf -picture rope.png",
    "compile",
)
ROPE = """
import windlass as wl
from windlass import connectors as con
from windlass.elements import catenary, nodes_of

world = wl.World(gravity=(0.0, -9.81))
rope = catenary(
    world, (0.0, 0.0), (8.0, 0.0), 16, length=10.0, axial_stiffness=1e5, bending_stiffness=1e-3, mass_per_length=1.0
)
con.hinge(world, nodes_of(world, rope)[[0, -1]])
with wl.Recorder("rope") as recorder:
    wl.Dynamic(world, step=1e-3, end=5e-3).solve(wl.Static(world).solve(), hooks=[recorder])
"""


@pytest.mark.long
@pytest.mark.parametrize("kind", ["wheel", "source_distribution"])
def test_every_command_of_what_is_installed(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """In an environment with Windlass and its libraries, and without a checkout, each command works."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    # add the folder of the libraries by a .pth file: Python does not read .pth files in folders that a .pth file adds,
    # so the hooks of an editable installation are not active
    libraries = [folder for folder in sys.path if "site-packages" in folder or "dist-packages" in folder]
    (site / "libraries.pth").write_text("\n".join(libraries) + "\n")
    pip = [sys.executable, "-m", "pip", "--python", environment / "bin" / "python"]
    # Windlass itself may lie among the libraries, as an editable installation
    install = [*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"]
    subprocess.run([*install, request.getfixturevalue(kind)], check=True)
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    work = tmp_path / "work"
    work.mkdir()
    (work / "rope.py").write_text(ROPE)
    where = "import windlass.framework; print(windlass.framework.__file__)"
    found = subprocess.run([environment / "bin" / "python", "-c", where], capture_output=True, text=True, env=outside)
    assert found.stdout.startswith(str(environment))
    for words in INSTALLED_COMMANDS:
        command = [environment / "bin" / "windlass", *shlex.split(words)]
        run = subprocess.run(command, capture_output=True, text=True, cwd=work, env=outside)
        assert run.returncode == 0, (words, run.stdout, run.stderr)
    assert (work / "report.html").is_file()
    assert (work / "rope.png").is_file()
