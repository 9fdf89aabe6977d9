"""What is asked: the problem model, importers and exporters, packs, and sealing of hidden parts."""
