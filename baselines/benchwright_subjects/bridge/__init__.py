"""The model bridge: programs in a sandbox ask Inspect's model in the protocols of the model providers."""

from benchwright_subjects.bridge.model_bridge import ModelBridge

__all__ = ("ModelBridge",)
