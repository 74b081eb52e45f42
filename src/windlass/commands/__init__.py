"""The commands of `windlass`. Each command is one file, which no other package imports."""
