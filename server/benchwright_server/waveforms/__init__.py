"""Waveforms: files of simulators, read window by window in processes of their own."""
