"""Questions of a pack in another language, by a model, with the check of a translation back."""
