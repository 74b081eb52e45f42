"""Campaigns are long random tests. They test output files (after kills, on full disks, with damage), damaged machine
code, model files, and impacts.
"""
