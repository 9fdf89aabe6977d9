"""Pictures that people send to a service."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from benchwright_problems.figure import MediaType, require_harmless_picture
from benchwright_service.errors import BenchServiceError
from benchwright_service.questions.pictures import MOST_BYTES, MOST_PIXELS, reencode_picture

from ...support.editor.pictures import SCRIPT, bomb, jpeg, png


@pytest.mark.parametrize(("content", "media_type"), [(png(), MediaType.PNG), (jpeg(), MediaType.JPEG)])
def test_only_pixels_of_a_picture_are_kept(content: bytes, media_type: MediaType) -> None:
    assert SCRIPT in content
    picture = reencode_picture(content)
    assert picture.media_type is media_type
    require_harmless_picture(picture.content, media_type)
    assert SCRIPT not in picture.content
    with Image.open(BytesIO(picture.content)) as image:
        assert image.size == (40, 30)
        assert not {"exif", "icc_profile", "comment", "Comment"} & image.info.keys()
    assert reencode_picture(content).sha256 == picture.sha256


def test_a_photo_stands_as_it_was_taken() -> None:
    with Image.open(BytesIO(reencode_picture(jpeg(orientation=6)).content)) as image:
        assert image.size == (30, 40)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_kind_of_png_is_read(mode: str) -> None:
    file = BytesIO()
    Image.new(mode, (8, 8)).save(file, "PNG")
    with Image.open(BytesIO(reencode_picture(file.getvalue()).content)) as image:
        assert image.size == (8, 8)
        assert ("A" in image.getbands()) == mode.endswith("A")


def foreign_picture(kind: str) -> bytes:
    file = BytesIO()
    Image.new("RGB", (8, 8)).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"x",
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        foreign_picture("GIF"),
        foreign_picture("BMP"),
        foreign_picture("TIFF"),
        bomb(),
        bomb(100_000),
        bomb(2_100),
        png()[:60],
        jpeg()[:400],
        b"\xff\xd8" + b"\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00" * 100,
        b"\x89PNG\r\n\x1a\n" + bytes(MOST_BYTES),
    ],
)
def test_what_is_no_picture_or_a_too_large_one_is_refused(content: bytes) -> None:
    with pytest.raises(BenchServiceError, match="picture"):
        reencode_picture(content)


def test_a_picture_of_the_most_pixels_is_taken() -> None:
    side_pixels = int(MOST_PIXELS**0.5)
    file = BytesIO()
    Image.new("RGB", (side_pixels, side_pixels)).save(file, "PNG")
    assert len(reencode_picture(file.getvalue()).content) < MOST_BYTES
