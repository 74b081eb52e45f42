"""The commands of `windlass`. Commands of the program `windlass`, one file per command; no other package imports these
files.
"""
