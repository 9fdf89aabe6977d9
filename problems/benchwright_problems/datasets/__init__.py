"""Importers and exporters, one module per data set."""
