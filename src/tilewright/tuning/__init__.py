"""Schedules that are found by trying: a search around the model's choice on the machine at hand."""
