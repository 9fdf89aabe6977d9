"""The images that a harness of CVDP's may ask for."""

from __future__ import annotations

OSS_SIM, OSS_PNR, VERIF_EDA = "oss-sim", "oss-pnr", "verif-eda"
_TOOLCHAIN_IMAGES = frozenset({OSS_SIM, OSS_PNR, VERIF_EDA, "ghcr.io/hdl/sim/osvb"})


def is_replaced_by_toolchain(image_name: str) -> bool:
    """True if the toolchain has what a harness asks for; otherwise it is a third-party image."""
    return image_name.removesuffix(":latest") in _TOOLCHAIN_IMAGES
