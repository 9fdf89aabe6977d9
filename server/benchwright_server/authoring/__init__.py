"""Problems and exams while they are written."""
