"""The tables and figures of CS-Bench's paper (arXiv:2406.08587), for questions that have a domain and a tag."""
