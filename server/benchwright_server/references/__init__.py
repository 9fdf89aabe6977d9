"""Pages and schemas that are made from the code."""
