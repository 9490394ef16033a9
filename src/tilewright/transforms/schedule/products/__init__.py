"""Products of tiles of the work-group: how they are computed, and where their factors lie."""
