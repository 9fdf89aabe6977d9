"""Cloze questions from documents: a model writes them, rules and a second model take out what is wrong."""
