"""What can be written at the cursor."""
