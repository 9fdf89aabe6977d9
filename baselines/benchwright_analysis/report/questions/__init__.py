"""Reports on questions: QuArch's tables (arXiv:2510.22087), of any pack that has such questions."""
