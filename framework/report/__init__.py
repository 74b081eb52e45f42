"""The report of a run, the page of -report, made of sections; and the sources of its laws."""
