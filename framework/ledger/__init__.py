"""Where the energy of a run goes: works, energies and losses, integrated over every step."""
