"""The endpoints, by who asks."""
