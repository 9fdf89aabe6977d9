"""Documents, folders, settings and progress, as the editor tells and shows them."""
