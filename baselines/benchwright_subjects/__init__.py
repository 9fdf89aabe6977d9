"""Models and agents on the same problems, judged by the same harnesses and judges, run by Inspect.

`tasks.py` holds the tasks. Only modules of this package import Inspect, which takes seconds.
"""
