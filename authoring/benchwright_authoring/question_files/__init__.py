"""Questions in files that learning platforms read and write: Moodle XML, GIFT and QTI 2.1."""
