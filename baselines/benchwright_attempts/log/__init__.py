"""The append-only, hash-chained log of attempts."""
