"""Commands about this machine and its programs."""
