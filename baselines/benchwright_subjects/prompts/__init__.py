"""Prompts for models."""
