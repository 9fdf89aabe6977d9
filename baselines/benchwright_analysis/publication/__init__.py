"""What a study publishes beside its report: a checklist, rows for Every Eval Ever, an anonymous data package."""
