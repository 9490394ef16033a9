"""Where tiles lie, how vectors of them are loaded and stored, and which are read in place."""
