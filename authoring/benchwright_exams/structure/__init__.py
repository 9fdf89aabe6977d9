"""What each thing on the pages is."""
