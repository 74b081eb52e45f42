"""Project URLs of a distribution; pyproject.toml contains all other metadata.

The URLs refer to the host of the clone from which the distribution is built, so the distributions of a fork refer to
the fork. A clone without an origin on a web host, such as a copy of a local folder, has no URLs.
"""

import re
import subprocess
from email.parser import Parser
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent


def read_origin(root: Path) -> str:
    """Return the address of the remote repository ``origin`` of a clone, or an empty string."""
    if not (root / ".git").exists():
        return ""
    try:
        command = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:  # git is not installed
        return ""


def create_urls(origin: str) -> dict[str, str]:
    """Return label and URL of each project URL. An origin by SSH, ``git@host:owner/name.git`` or ``ssh://...``, is
    converted to the web page of the repository. Only the port of an origin by HTTPS is a port of this page. Origins of
    other forms, such as paths on a disk, give no URLs."""
    host, path = r"([\w.-]+\.[a-z]+)", r"([^/@:][^@]*?)(?:\.git)?/?"
    if found := re.fullmatch(rf"(?:(https)|ssh)://(?:[^@/]+@)?{host}(:\d+)?/{path}", origin):
        page = f"https://{found[2]}{(found[3] or '') if found[1] else ''}/{found[4]}"
    elif found := re.fullmatch(rf"[^@/:]+@{host}:{path}", origin):
        page = f"https://{found[1]}/{found[2]}"
    else:
        return {}
    files = f"{page}/blob/HEAD"
    return {
        "Source": page,
        "Issues": f"{page}/issues",
        "Documentation": f"{files}/docs/index.md",
        "Changelog": f"{files}/CHANGELOG.md",
    }


def read_urls(info: Path) -> dict[str, str]:
    """Return the project URLs in the metadata ``PKG-INFO`` of a source distribution."""
    if not info.is_file():
        return {}
    entries = Parser().parsestr(info.read_text(encoding="utf-8")).get_all("Project-URL", [])
    return dict(entry.split(", ", 1) for entry in entries)


def find_urls(root: Path) -> dict[str, str]:
    """Return the project URLs of a clone or of an unpacked source distribution."""
    return create_urls(read_origin(root)) or read_urls(root / "PKG-INFO")


if __name__ == "__main__":
    setup(project_urls=find_urls(ROOT))
