"""The report of a run: the page that the option ``-report`` requests, its sections, and the sources of the laws in the
model.
"""
