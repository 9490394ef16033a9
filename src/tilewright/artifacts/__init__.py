"""What compiled code tells of itself: all that those who emit it and those who launch it have in common."""
