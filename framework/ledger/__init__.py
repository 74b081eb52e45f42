"""Energy ledger of a run: works, energies and losses, integrated over all steps."""
