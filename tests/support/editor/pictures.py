"""Pictures that tests send, as files of a camera, a drawing program and an attacker."""

from __future__ import annotations

import zlib
from io import BytesIO

from PIL import Image, PngImagePlugin

SCRIPT = b"<script>alert(document.domain)</script>"


def png(colour: str = "navy", pixel_size: tuple[int, int] = (40, 30)) -> bytes:
    """A PNG with a comment, followed by a script."""
    metadata = PngImagePlugin.PngInfo()
    metadata.add_text("Comment", SCRIPT.decode())
    file = BytesIO()
    Image.new("RGB", pixel_size, colour).save(file, "PNG", pnginfo=metadata)
    return file.getvalue() + SCRIPT


def jpeg(*, orientation: int = 1) -> bytes:
    """A JPEG of 40 by 30 pixels with a comment, and the way that the camera was held."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = SCRIPT.decode()
    file = BytesIO()
    Image.new("RGB", (40, 30), "teal").save(file, "JPEG", exif=exif, comment=SCRIPT)
    return file.getvalue()


def bomb(side_pixels: int = 20_000) -> bytes:
    """A PNG of few bytes that says it has many pixels."""
    file = BytesIO()
    Image.new("1", (side_pixels, 1)).save(file, "PNG")
    png_bytes = bytearray(file.getvalue())
    png_bytes[20:24] = side_pixels.to_bytes(4, "big")
    png_bytes[29:33] = zlib.crc32(bytes(png_bytes[12:29])).to_bytes(4, "big")
    return bytes(png_bytes)
