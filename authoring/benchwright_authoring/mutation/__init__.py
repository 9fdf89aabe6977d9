"""Mutation analysis: small faults put into a reference, and whether the harness notices them.

Terms and method: Jia and Harman, "An Analysis and Survey of the Development of Mutation Testing", IEEE Transactions on
Software Engineering 37(5), 2011.
"""
