"""Trajectories of attempts: as other programs read and write them, and what in them looks like cheating."""
