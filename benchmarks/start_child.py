"""Program that runs a command and prints one RESULT line with the times of the whole process of this command.

usage: start_child.py [--cold] COMMAND ...      With --cold, the command has an empty compiler cache, which is removed
afterwards.

Answers and versions are taken from the RESULT line of the command, if the command prints this line.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def run(command: list[str], environment: dict[str, str]) -> dict[str, object]:
    """Run the command, and return its times, including child processes, and its output."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr or done.stdout}")
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    own = json.loads(lines[-1].removeprefix("RESULT ")) if lines else {"answers": {}, "versions": {}}
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    times = {"cpu": cpu, "wall": wall, "measured": {"elapsed [s]": wall}}
    return times | {"counts": {"starts": 1}, "answers": own["answers"], "versions": own["versions"]}


def main() -> None:
    """Run the command given on the command line."""
    words = sys.argv[1:]
    cold = words[:1] == ["--cold"]
    command = words[cold:]
    if not command:
        sys.exit(__doc__)
    # as in usual starts, Python reads byte code that an earlier start has written
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if cold:
        # processes that help to compile may still write into the folder for a short time
        with tempfile.TemporaryDirectory(prefix="windlass-cold-", ignore_cleanup_errors=True) as folder:
            result = run(command, environment | {"WINDLASS_CACHE": folder})
    else:
        result = run(command, environment)
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    main()
