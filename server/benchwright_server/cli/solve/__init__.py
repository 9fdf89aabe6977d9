"""Commands that solve or grade problems."""
