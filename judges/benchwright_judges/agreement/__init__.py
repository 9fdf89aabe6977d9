"""Agreement of judges, with people and with each other."""
