"""Requests about an attempt: tests, failures, aids."""
