"""Pictures that tests send, as files of a camera, a drawing program and an attacker."""

from __future__ import annotations

import zlib
from io import BytesIO

from PIL import Image, PngImagePlugin

SCRIPT = b"<script>alert(document.domain)</script>"


def png(colour: str = "navy", size: tuple[int, int] = (40, 30)) -> bytes:
    """A PNG with a comment, followed by a script."""
    metadata = PngImagePlugin.PngInfo()
    metadata.add_text("Comment", SCRIPT.decode())
    file = BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG", pnginfo=metadata)
    return file.getvalue() + SCRIPT


def jpeg(*, orientation: int = 1) -> bytes:
    """A JPEG of 40 by 30 pixels with a comment, and the way that the camera was held."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = SCRIPT.decode()
    file = BytesIO()
    Image.new("RGB", (40, 30), "teal").save(file, "JPEG", exif=exif, comment=SCRIPT)
    return file.getvalue()


def bomb(side: int = 20_000) -> bytes:
    """A PNG of few bytes that says it has many pixels."""
    file = BytesIO()
    Image.new("1", (side, 1)).save(file, "PNG")
    content = bytearray(file.getvalue())
    content[20:24] = side.to_bytes(4, "big")
    content[29:33] = zlib.crc32(bytes(content[12:29])).to_bytes(4, "big")
    return bytes(content)
