"""The database of answers, votes and judgements."""
