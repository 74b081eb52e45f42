"""The gallery: every example is run in a short form, and its page shows a picture, the output, and the command.

A page shows the first picture that the example writes. If the example writes no picture, the page shows a picture of
the report of the example: the model or curves.
"""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
import tempfile
from base64 import b64decode
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SHORT = {
    "belt_drive": ["-end_time", "0.7", "-step", "2e-4"],
    "ale_belt": ["-compare", "false"],
    "settling_spheres": ["-spheres", "64"],
    "mass_on_springs": ["-periods", "3"],
    "capstan": ["-table", "false"],
    "helix_capstan": ["-table", "false"],
    "elevator": ["-stops", "1"],
    "optimise_tensioner": ["-solves", "6"],
}
"""Options of the short form of an example. Examples that are not listed run unchanged."""
PICTURE = re.compile(r'<img alt="" src="data:image/([a-z]+)[^,]*,([^"]*)"')


ABBREVIATIONS = {"ale": "ALE", "fmu": "FMU"}
"""Words of file names that titles write in capital letters."""


def title_of(example: Path) -> str:
    """Return the title of an example, which is formed from its file name."""
    words = [ABBREVIATIONS.get(word, word) for word in example.stem.split("_")]
    return " ".join([words[0][0].upper() + words[0][1:], *words[1:]])


def split_docstring(source: str) -> tuple[str, str]:
    """Return the first paragraph of the docstring of an example on one line, and the rest of the docstring."""
    first, _, rest = (ast.get_docstring(ast.parse(source)) or "").partition("\n\n")
    return " ".join(first.split()), rest.strip().replace("``", "")


def run_example(example: Path, folder: Path) -> str:
    """Run an example in a folder that also receives its report, and return the printed output.

    Raises:
        RuntimeError: the example failed.
    """
    words = [*SHORT.get(example.stem, []), "-quiet", "-report", "report.html"]
    if '"output"' in example.read_text(encoding="utf-8"):
        words += ["-output", "out"]
    command = [sys.executable, "-m", "windlass.commands.cli", "run", str(example), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{example.name} failed:\n{done.stderr[-2000:]}")
    return done.stdout.rstrip()


def find_picture(folder: Path) -> tuple[str, bytes]:
    """Return suffix and content of the picture of a run.

    Raises:
        RuntimeError: the run has no picture.
    """
    for path in sorted((folder / "out").glob("*.png")):
        return ".png", path.read_bytes()
    report = (folder / "report.html").read_text(encoding="utf-8")
    sections = dict(re.findall(r"<section[^>]*><h2>([^<]*)</h2>(.*?)</section>", report, re.DOTALL))
    shown = {title: found for title, text in sections.items() if (found := PICTURE.search(text)) is not None}
    if not shown:
        raise RuntimeError(f"{folder} has no picture")
    # use the plot of solver steps only if there is no other curve
    best = min(shown, key=lambda title: (title != "Model", title.startswith("Solve ")))
    return {"png": ".png", "svg": ".svg"}[shown[best][1]], b64decode(shown[best][2])


def example_page(example: Path, suffix: str, printed: str) -> str:
    """Return the page of one example."""
    name, words = example.stem, " ".join(SHORT.get(example.stem, []))
    source = example.read_text(encoding="utf-8")
    summary, text = split_docstring(source)
    return "\n\n".join(
        [
            f"# {title_of(example)}",
            summary,
            f"![picture of {name}](pictures/{name}{suffix})",
            f"```text\n{text}\n```" if text else "",
            f"```sh\nwindlass run examples/{name}.py {words}\n```",
            f'The command prints these lines; the <a href="../reports/{name}.html">report</a> contains all results:',
            f"```text\n{printed}\n```",
            "## The script",
            f"```python\n{source}```",
        ]
    )


def strip_docstrings(source: str) -> str:
    """Return code without comments, docstrings and layout, which do not affect results."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            node.body = [  # type: ignore[attr-defined]
                child
                for child in node.body  # type: ignore[attr-defined]
                if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant))
            ]
    return ast.dump(tree)


def hash_package() -> str:
    """Return a digest of the code of the package, the key of cached results of examples."""
    digest = hashlib.sha256()
    for top in ("framework", "elements", "connectors", "solvers", "src/windlass"):
        for path in sorted((ROOT / top).rglob("*.py")):
            digest.update(strip_docstrings(path.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()


def find_results(example: Path, kept: Path, package: str) -> Path:
    """Return the folder with `printed.txt`, `report.html` and the picture of an example. Run the example unless its
    results are cached."""
    key = repr((package, example.read_text(encoding="utf-8"), SHORT.get(example.stem)))
    results = kept / f"{example.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if results.exists():
        return results
    print(f"running {example.name}", flush=True)
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as temporary:
        folder, made = Path(temporary) / "run", Path(temporary) / "results"
        folder.mkdir()
        made.mkdir()
        (made / "printed.txt").write_text(run_example(example, folder), encoding="utf-8")
        suffix, picture = find_picture(folder)
        (made / f"picture{suffix}").write_bytes(picture)
        (made / "report.html").write_bytes((folder / "report.html").read_bytes())
        made.rename(results)
    return results


def write_gallery(pages: Path, extra: Path, kept: Path) -> None:
    """Write pages, pictures and reports of all examples. Unchanged examples are not run again."""
    (pages / "pictures").mkdir(parents=True)
    (extra / "reports").mkdir(parents=True)
    cards, package = [], hash_package()
    for example in EXAMPLES:
        results = find_results(example, kept, package)
        printed = (results / "printed.txt").read_text(encoding="utf-8")
        (found,) = results.glob("picture.*")
        suffix, picture = found.suffix, found.read_bytes()
        (extra / "reports" / f"{example.stem}.html").write_bytes((results / "report.html").read_bytes())
        (pages / "pictures" / f"{example.stem}{suffix}").write_bytes(picture)
        (pages / f"{example.stem}.md").write_text(example_page(example, suffix, printed), encoding="utf-8")
        picture_link = f"[![{example.stem}](pictures/{example.stem}{suffix})]({example.stem}.md)"
        summary, _ = split_docstring(example.read_text(encoding="utf-8"))
        words = [f"[{title_of(example)}]({example.stem}.md)", picture_link, summary]
        cards.append("::::{container} card\n" + "\n\n".join(words) + "\n::::")
    head = (
        "# Gallery\n\nAll examples were run when this site was built. "
        "[Examples](../docs/reference/examples.md) lists the checks of each example."
    )
    tree = "```{toctree}\n:hidden:\n:glob:\n\n*\n```"
    grid = "\n\n".join([":::::{container} cards gallery", *cards, ":::::"])
    (pages / "index.md").write_text(f"{head}\n\n{grid}\n\n{tree}\n", encoding="utf-8")
