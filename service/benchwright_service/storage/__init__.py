"""The service's database and backup."""
