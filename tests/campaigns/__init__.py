"""Campaigns against files: runs that are killed, disks that are full, files and machine code that are damaged."""
