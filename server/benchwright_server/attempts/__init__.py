"""Attempts that are going on in this process: opened, clocked, run, recorded, ended."""
