"""Is this design the same as that one? Proofs by Yosys and ABC, each checked on a simulator."""
