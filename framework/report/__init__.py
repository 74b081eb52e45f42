"""The report of a run: the page that ``-report`` writes, its sections, and the sources of the laws in the model."""
