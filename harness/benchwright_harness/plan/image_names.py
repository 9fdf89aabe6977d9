"""The images that a harness of CVDP's may ask for."""

from __future__ import annotations

OSS_SIM, OSS_PNR, VERIF_EDA = "oss-sim", "oss-pnr", "verif-eda"
