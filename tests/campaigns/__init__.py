"""Campaigns are long random tests: of output files under kills, full disks and damage, of damaged machine code, and of
impacts.
"""
