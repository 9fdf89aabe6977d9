"""Web pages of the service, for people in browsers."""
