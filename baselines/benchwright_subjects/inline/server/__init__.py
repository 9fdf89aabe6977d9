"""An inline-completion server's process, connection and confinement."""
