"""Studies that the service hosts."""
