"""Models as FMUs for co-simulation: the interface that a script declares, and the process that runs the script."""
