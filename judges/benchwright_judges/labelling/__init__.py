"""Labels of questions by models: skill, topic and difficulty, from a question's public side alone."""
