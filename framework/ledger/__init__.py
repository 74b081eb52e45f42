"""Energy ledger of a run: works, energies and losses, summed over all steps."""
