"""Packs as files and folders, and the sealed store."""
