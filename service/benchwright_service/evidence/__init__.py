"""Events as they come in, signed and audited."""
