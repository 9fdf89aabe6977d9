"""Problems graded: plan, execution and decision in turn, and what is kept."""
