"""The server as tools for agents."""
