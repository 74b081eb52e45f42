"""Functions of time or of displacements, for springs, loads and constraints: functions of the user, predefined
functions of time, and recorded time series.
"""
