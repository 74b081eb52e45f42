"""The report of a run, which is the page of -report and consists of sections; and the sources of its laws."""
