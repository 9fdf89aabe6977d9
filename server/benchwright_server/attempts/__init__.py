"""Attempts in progress in this process: opened, timed, run, recorded, ended."""
