"""The forms in which an author checks the questions, and the pack of those accepted."""
