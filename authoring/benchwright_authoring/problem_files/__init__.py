"""The files of a problem while they are written: what they may hold, and what is wrong with them."""
