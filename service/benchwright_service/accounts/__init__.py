"""People, devices and tokens."""
