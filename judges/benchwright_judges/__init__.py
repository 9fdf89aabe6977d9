"""Scores answers: by rules, by judge models, or by people."""
