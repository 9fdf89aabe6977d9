"""Code that runs in a process of its own, within limits, because it meets the bytes of a hostile file."""
