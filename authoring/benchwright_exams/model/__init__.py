"""What a model says of an exam, checked against the pages. It names places and roles; every word comes from a page."""
