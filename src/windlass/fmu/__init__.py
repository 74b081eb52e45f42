"""A model as an FMU for co-simulation: the interface that a script declares, and the process that runs the script."""
