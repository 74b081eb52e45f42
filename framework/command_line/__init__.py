"""Options: reading and checking the command line, and finding unused options."""
