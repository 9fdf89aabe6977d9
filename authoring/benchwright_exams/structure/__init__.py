"""Structure of an exam: the role of each thing on the pages."""
