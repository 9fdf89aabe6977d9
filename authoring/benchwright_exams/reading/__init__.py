"""From a PDF to its words and what is drawn, page by page."""
