"""The LSP methods of the language, one module each."""
