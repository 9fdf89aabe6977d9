"""Rules of teaching: what a run is worth, how good a problem is, and how others read grades. Knows no service."""
