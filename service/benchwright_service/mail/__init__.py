"""Notices to people by mail: what they are told of, the queue of what waits, and its delivery."""
