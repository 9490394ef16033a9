"""From tiles of a work-group to what each of its threads does."""
