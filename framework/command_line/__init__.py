"""Options: how the command line is read, checked and watched."""
