"""Product units: instructions that multiply and add, and how factors lie in memory for them."""
