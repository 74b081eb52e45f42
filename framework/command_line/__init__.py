"""Reading and checking of options, detection of unused options, and output that options request: sections of the
report, and files with results and step counts.
"""
