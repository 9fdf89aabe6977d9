"""The editor's side: language server, workspaces, runs on save, and the command line."""

from importlib.metadata import version

__version__ = version("benchwright")
