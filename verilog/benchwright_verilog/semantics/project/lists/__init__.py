"""File lists and manifests, which say what files a project has."""
