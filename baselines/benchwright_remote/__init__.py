"""Protocol between solver and service: the messages, which both check."""
