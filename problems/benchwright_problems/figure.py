"""Pictures of questions and answers: untrusted bytes, checked before they are stored."""

from __future__ import annotations

import base64
import binascii
import re
from enum import StrEnum
from pathlib import PurePosixPath
from xml.etree.ElementTree import Element, ParseError

MAX_BYTES = 8 * 1024**2
"""Size of one picture."""

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
# fmt: off
_DRAWING = frozenset(
    {
        "svg", "g", "defs", "symbol", "use", "title", "desc", "path", "rect", "circle", "ellipse", "line",
        "polyline", "polygon", "text", "tspan", "textPath", "marker", "linearGradient", "radialGradient", "stop",
        "pattern", "clipPath", "mask"
    }
)
# fmt: on
_ELSEWHERE = re.compile(r"url\s*\(\s*(?!['\"]?\s*#)|@import|expression\s*\(|javascript:|\\", re.IGNORECASE)


class MediaType(StrEnum):
    """The picture formats that every editor shows."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    GIF = "image/gif"
    WEBP = "image/webp"
    SVG = "image/svg+xml"


_SUFFIXES = {
    ".png": MediaType.PNG,
    ".jpg": MediaType.JPEG,
    ".jpeg": MediaType.JPEG,
    ".gif": MediaType.GIF,
    ".webp": MediaType.WEBP,
    ".svg": MediaType.SVG,
}


def media_type_of_path(path: str) -> MediaType:
    """The format that a file's name promises.

    Raises:
        ValueError: The format is none that can be shown.
    """
    known_type = _SUFFIXES.get(PurePosixPath(path).suffix.lower())
    if known_type is None:
        raise ValueError(f"{path!r} is no picture that can be shown; use {', '.join(_SUFFIXES)}")
    return known_type


def decode_base64(encoded_picture: str) -> bytes:
    """A picture's bytes from base64.

    Raises:
        ValueError: The text is not base64 (RFC 4648, section 4).
    """
    try:
        return base64.b64decode(encoded_picture, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"is not base64: {error}") from error


def require_harmless_picture(content: bytes, media: MediaType) -> None:
    """Refuse files that are not the picture they claim to be, or that do more than show one.

    Raises:
        ValueError: Says what is wrong.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"is larger than {MAX_BYTES >> 20} MiB")
    if media is MediaType.SVG:
        _require_harmless_svg(content)
    elif not _has_signature_of(content, media):
        raise ValueError(f"does not begin as {media} does")


def _has_signature_of(content: bytes, media: MediaType) -> bool:
    match media:
        case MediaType.PNG:
            return content.startswith(b"\x89PNG\r\n\x1a\n")
        case MediaType.JPEG:
            return content.startswith(b"\xff\xd8\xff")
        case MediaType.GIF:
            return content.startswith((b"GIF87a", b"GIF89a"))
        case _:
            return content.startswith(b"RIFF") and content[8:12] == b"WEBP"


def _require_harmless_svg(content: bytes) -> None:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    # A style sheet named by a processing instruction is not in the tree that the parser gives.
    if re.search(rb"<\?(?!xml\s)", content):
        raise ValueError("is an SVG with a processing instruction")
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except DefusedXmlException as error:
        raise ValueError("is an SVG with a document type or entities") from error
    except (ParseError, ValueError, LookupError) as error:
        raise ValueError(f"is not SVG: {error}") from error
    if root.tag != f"{_SVG}svg":
        raise ValueError("is not SVG: its root is no <svg>")
    for element in root.iter():
        name = str(element.tag).removeprefix(_SVG)
        if name not in _DRAWING:
            raise ValueError(f"is an SVG with <{name}>; only shapes, text and gradients are taken")
        for attribute, value in element.attrib.items():
            link = attribute in ("href", _XLINK_HREF)
            if attribute.lower().startswith("on") or (link and not value.strip().startswith("#")):
                raise ValueError(f"is an SVG whose <{name}> has {attribute.rpartition('}')[2]}={value[:40]!r}")
            if _ELSEWHERE.search(value):
                raise ValueError(f"is an SVG whose <{name}> refers to something elsewhere: {value[:40]!r}")
