"""Reviews of questions by people, who answer before they see the key."""
