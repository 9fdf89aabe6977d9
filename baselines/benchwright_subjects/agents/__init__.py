"""Agents that are programs: what is known of each, how it is installed, and how it works in the sandbox."""
