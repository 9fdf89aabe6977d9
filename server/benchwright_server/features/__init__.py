"""One module per LSP method or family, each a thin handler."""
