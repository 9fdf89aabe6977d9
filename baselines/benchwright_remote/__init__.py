"""How solver and service talk: the messages, which both check."""
