"""Task folders of Harbor, made of design problems."""
