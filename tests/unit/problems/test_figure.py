from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchwright_problems.figure import MAX_BYTES, MediaType
from benchwright_problems.problem import Figure, Public


def figure(path: str, content: bytes, media: MediaType) -> Figure:
    return Figure(path=path, media_type=media, data=base64.b64encode(content).decode())


def svg(svg_body: str = '<rect width="9" height="9"/>', attributes: str = "") -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" {attributes}>{svg_body}</svg>'.encode()


def test_a_picture_is_kept_to_the_byte(png: bytes) -> None:
    assert figure("figures/one.png", png, MediaType.PNG).content == png


@pytest.mark.parametrize(
    ("path", "first_bytes"),
    [
        ("a.jpg", b"\xff\xd8\xff\xe0"),
        ("a.JPEG", b"\xff\xd8\xff\xdb"),
        ("a.gif", b"GIF89a"),
        ("a.webp", b"RIFF\0\0\0\0WEBP"),
    ],
)
def test_each_format_is_known_by_its_first_bytes(path: str, first_bytes: bytes) -> None:
    media = {"jpg": MediaType.JPEG, "JPEG": MediaType.JPEG, "gif": MediaType.GIF, "webp": MediaType.WEBP}
    assert figure(path, first_bytes + b"...", media[path.partition(".")[2]]).content.startswith(first_bytes)
    with pytest.raises(ValidationError, match="does not begin as"):
        figure(path, b"<html>", media[path.partition(".")[2]])


@pytest.mark.parametrize("path", ["../a.png", "/a.png", "a\\b.png", ".benchwright/a.png", "a.exe", "a", "a.svgz"])
def test_paths_that_lead_elsewhere_or_name_no_picture_are_refused(path: str, png: bytes) -> None:
    with pytest.raises(ValidationError):
        figure(path, png, MediaType.PNG)


def test_a_name_that_promises_another_format_is_refused(png: bytes) -> None:
    with pytest.raises(ValidationError, match="is called so but said to be image/jpeg"):
        figure("a.png", png, MediaType.JPEG)


def test_what_is_not_base64_or_too_large_is_refused(png: bytes) -> None:
    with pytest.raises(ValidationError, match="is not base64"):
        Figure(path="a.png", media_type=MediaType.PNG, data="%%%")
    with pytest.raises(ValidationError, match="larger than 8 MiB"):
        figure("a.png", png + bytes(MAX_BYTES), MediaType.PNG)


@pytest.mark.parametrize(
    "content",
    [
        svg(),
        svg('<g><path d="M0 0L9 9"/><text x="1" y="2">r0 = y</text></g>'),
        svg('<defs><linearGradient id="g"><stop offset="0"/></linearGradient></defs><rect fill="url(#g)"/>'),
        svg('<use href="#a"/>'),
        b'<?xml version="1.0"?>' + svg(),
    ],
)
def test_a_drawing_is_kept(content: bytes) -> None:
    assert figure("a.svg", content, MediaType.SVG).content == content


@pytest.mark.parametrize(
    "content",
    [
        svg("<script>alert(1)</script>"),
        svg(attributes='onload="alert(1)"'),
        svg('<rect ONCLICK="alert(1)"/>'),
        svg("<foreignObject><p>hi</p></foreignObject>"),
        svg('<image href="http://example.org/track.png"/>'),
        svg('<use href="http://example.org/a.svg#b"/>'),
        svg('<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="data:image/svg+xml;base64,AA"/>'),
        svg("<style>@import url(http://example.org/a.css)</style>"),
        svg('<rect style="fill: url(http://example.org/a)"/>'),
        svg('<rect style="fill: u\\72l(http://example.org/a)"/>'),
        svg('<a href="javascript:alert(1)"><rect/></a>'),
        svg('<animate attributeName="href" to="javascript:alert(1)"/>'),
        svg('<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>'),
        b'<!DOCTYPE svg [<!ENTITY a "b">]>' + svg("&a;"),
        b'<?xml-stylesheet href="http://example.org/a.css"?>' + svg(),
        b"<html></html>",
        b"<svg></svg>",
        b"no XML",
        svg("<rect>"),
        b"",
        "<svg/>".encode("utf-16"),
    ],
)
def test_a_drawing_that_does_more_than_being_looked_at_is_refused(content: bytes) -> None:
    with pytest.raises(ValidationError, match=r"the picture 'a\.svg' is"):
        figure("a.svg", content, MediaType.SVG)


@given(content=st.binary(max_size=80))
def test_any_bytes_are_taken_or_refused_with_a_reason(content: bytes) -> None:
    for path, media in (("a.png", MediaType.PNG), ("a.svg", MediaType.SVG)):
        try:
            figure(path, content, media)
        except ValidationError as error:
            assert "the picture" in str(error)


def test_a_figure_takes_no_place_of_another_file(png: bytes) -> None:
    picture = figure("a.png", png, MediaType.PNG)
    with pytest.raises(ValidationError, match="two files are called"):
        Public(statement="", figures=(picture, picture))
    with pytest.raises(ValidationError, match="two files are called"):
        Public(statement="", figures=(picture,), expected=("a.png",))
    with pytest.raises(ValidationError, match="can't be a file"):
        Public(statement="", figures=(picture,), files={"a.png/b": ""})
