"""Program that runs examples/belt_drive.py with many step sizes and prints speed loss, torque balance, work and
unsettled steps.

usage: belt_steps.py [STEP ...] [options of the example]

STEP is in s. Without STEP, the steps are 2.5e-5 to 1e-3. Speed and drive torque are means over the last 0.1 s. The
excess is the drive torque minus the load and the torque of the brake.
"""

import json
import runpy
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "belt_drive.py"
STEPS = ("1e-3", "4e-4", "2e-4", "1e-4", "5e-5", "2.5e-5")
SPEED, LOAD, BRAKE = 12.0, 25.0, 2.0  # speed [rad/s] of the driver, load torque [N m], damping torque per speed [N m s]
HEAD = ("step [s]", "loss [%]", "excess [%]", "steps", "rejected", "Newton", "cycles", "at limit", "error", "time [s]")


def run(step: str, options: list[str]) -> None:
    """Run the example with one step size, and print a line of JSON."""
    sys.argv = [str(EXAMPLE), "-step", step, "-output", "none", "-ledger", "false", "-progress", "false", *options]
    sys.path.insert(0, str(EXAMPLE.parent))
    model = runpy.run_path(str(EXAMPLE), run_name="__main__")
    results, done = model["results"], model["motion"].statistics
    loss = results["speed_loss"]
    torque, brake = -results["drive_torque_mean"], BRAKE * SPEED * (1.0 - loss / 100.0)
    excess = 100.0 * (torque - LOAD - brake) / torque
    work = done.steps, done.rejected, done.newton_iterations, done.cycles, done.unconverged_passes
    print("RESULT " + json.dumps([float(step), loss, excess, *work, done.largest_error, done.wall_time]))


def main(words: list[str]) -> None:
    """Run one process for each step size, and print the table."""
    count = next((k for k, word in enumerate(words) if word.startswith("-")), len(words))
    steps, options = words[:count] or list(STEPS), words[count:]
    print(" | ".join(HEAD))
    for step in steps:
        command = [sys.executable, __file__, "--one", step, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        if not found:
            sys.exit(f"step {step}:\n{done.stdout}{done.stderr}")
        h, loss, excess, *counts, error, time = json.loads(found[0][7:])
        print(
            f"{h:g} | {loss:.4f} | {excess:+.4f} | {' | '.join(map(str, counts))} | {error:.1e} | {time:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run(sys.argv[2], sys.argv[3:])
    else:
        main(sys.argv[1:])
