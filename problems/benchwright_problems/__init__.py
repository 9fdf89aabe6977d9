"""Problems: their model, importers and exporters, packs, and sealing of hidden parts."""
