"""Requests about a design: views, instances, waveforms."""
