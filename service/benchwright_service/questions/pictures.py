"""Pictures that people send: read by a decoder, and encoded again, so that nothing else of them is kept or served."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from benchwright_problems.figure import MediaType
from benchwright_service.errors import BenchServiceError

if TYPE_CHECKING:
    from PIL.Image import Image as Pixels

MOST_BYTES = 1 << 20
"""Of a picture, as it is sent and as it is kept."""
MOST_PIXELS = 4_000_000
_MOST_SCANS = 64
"""Of a JPEG file: each scan goes over all pixels, and takes a few bytes only."""
_START_OF_SCAN = b"\xff\xda"
_JPEG_QUALITY = 90


@dataclass(frozen=True)
class UploadedPicture:
    """One that was read."""

    content: bytes
    """PNG or JPEG without metadata."""
    media_type: MediaType

    @property
    def sha256(self) -> str:
        """Of the content."""
        return hashlib.sha256(self.content).hexdigest()


class PictureReader:
    """Reads one picture at a time: a large one takes tens of megabytes."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def read(self, content: bytes) -> UploadedPicture:
        """See `reencode_picture`."""
        async with self._turn:
            return await asyncio.to_thread(reencode_picture, content)


def reencode_picture(content: bytes) -> UploadedPicture:
    """Decodes a picture and encodes its pixels again.

    Args:
        content: Hostile bytes.

    Raises:
        BenchServiceError: The bytes are no picture, or it is too large.
    """
    # The decoder takes a while to import, and few requests bring pictures.
    from PIL import Image, ImageOps

    if len(content) > MOST_BYTES or (content.count(_START_OF_SCAN) > _MOST_SCANS and content.startswith(b"\xff\xd8")):
        raise BenchServiceError("a picture has more than 1 MiB, or is encoded in too many steps; save a smaller one")
    try:
        with Image.open(BytesIO(content), formats=("PNG", "JPEG")) as file:
            if file.width * file.height > MOST_PIXELS:
                raise BenchServiceError(f"a picture has more than {MOST_PIXELS:,} pixels; make it smaller")
            media_type = MediaType.JPEG if file.format == "JPEG" else MediaType.PNG
            picture = UploadedPicture(_encode_picture(ImageOps.exif_transpose(file), media_type), media_type)
    except BenchServiceError:
        raise
    # The decoder raises errors of many kinds about damaged files.
    except Exception as error:
        raise BenchServiceError("a picture can't be read; send a PNG or JPEG file") from error
    if len(picture.content) > MOST_BYTES:
        raise BenchServiceError("a picture has more than 1 MiB once it is encoded again; make it smaller")
    return picture


def _encode_picture(picture: Pixels, media_type: MediaType) -> bytes:
    has_alpha = picture.has_transparency_data
    gray = picture.mode in ("1", "L") and not has_alpha
    plain_picture = picture.convert("L" if gray else "RGBA" if has_alpha else "RGB")
    # Profiles, comments and places.
    plain_picture.info.clear()
    file = BytesIO()
    if media_type is MediaType.JPEG:
        plain_picture.save(file, "JPEG", quality=_JPEG_QUALITY)
    else:
        plain_picture.save(file, "PNG")
    return file.getvalue()
