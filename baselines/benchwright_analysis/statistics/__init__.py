"""Estimators for studies and model runs: values in, values out.

One module per subject, described in `docs/reference/statistics.md`. SciPy, statsmodels and scikit-learn are imported
where they are used, so that importing a module costs no more than NumPy.
"""
