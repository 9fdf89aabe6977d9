"""A model as the reader of replies in which rules find no answer, and how well replies are read."""
