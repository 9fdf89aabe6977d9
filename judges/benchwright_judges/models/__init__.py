"""Models as judges: settings, prompts, budget, replies."""
