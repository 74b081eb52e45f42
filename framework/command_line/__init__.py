"""Options: the command line is read and checked, and unused options are found."""
