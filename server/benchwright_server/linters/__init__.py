"""Programs that find style and lint problems in saved files, or format them."""
