"""The commands of the program `windlass`, one file per command."""
