"""Requests about problems and questions that are being written."""
