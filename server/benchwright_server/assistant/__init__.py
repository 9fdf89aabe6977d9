"""The assistant model: what it is asked, and how its reply is used."""
