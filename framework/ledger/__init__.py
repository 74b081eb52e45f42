"""Energy of a run: works, energies and losses, integrated over every step."""
