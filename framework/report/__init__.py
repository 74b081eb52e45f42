"""What a run says about itself: the page of -report, made of sections, and the sources of its laws."""
