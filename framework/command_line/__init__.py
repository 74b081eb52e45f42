"""Options: the command line is read and checked, and unused options are found. Also the data that options request:
sections of the report, and files with results and step counts.
"""
