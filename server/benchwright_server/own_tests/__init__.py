"""The tests in a folder with a design: finding them, and what is needed to run them."""
