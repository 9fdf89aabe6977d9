"""The length of an answer, in words and in a language model's tokens."""

from __future__ import annotations

import hashlib
import os
import re
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding


class TokenEncoding(StrEnum):
    """Encoding of text as tokens."""

    O200K = "o200k_base"
    CL100K = "cl100k_base"


ENCODING = TokenEncoding.O200K
"""The encoding whose tokens are counted unless another is asked for: that of OpenAI's current models."""
_TABLE_DIGESTS = {
    TokenEncoding.O200K: "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    TokenEncoding.CL100K: "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""SHA-256 of the tables, as tiktoken has them."""

_TABLES = "https://openaipublic.blob.core.windows.net/encodings"
# Chinese and Japanese write without spaces: each of their characters counts as a word.
_CHARACTER = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_CHARACTER}]|[^\W{_CHARACTER}]+(?:['\u2019./-]\w+)*")


def count_words(text: str) -> int:
    """Words as an editor counts them; a number such as 3.5 is one."""
    return len(_WORD.findall(text))


def token_table_file(cache_folder: Path, encoding: TokenEncoding = ENCODING) -> Path:
    """The file below Benchwright's cache folder where tiktoken looks for the table of tokens of an encoding."""
    address = f"{_TABLES}/{encoding}.tiktoken"
    return cache_folder / "tiktoken" / hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()


class TokenCounter:
    """Counts tokens with tiktoken, offline: the installation puts its table into the cache folder.

    Args:
        cache_folder: Benchwright's cache folder.
        encoding: The encoding whose tokens are counted.
    """

    def __init__(self, cache_folder: Path, encoding: TokenEncoding = ENCODING) -> None:
        self._file = token_table_file(cache_folder, encoding)
        self._encoding_name = encoding

    def count(self, text: str) -> int | None:
        """Number of tokens in a string; None if tiktoken or its table is missing, or the table is damaged."""
        encoding = self._encoding
        return None if encoding is None else len(encoding.encode(text, disallowed_special=()))

    def use_table_in_whole_process(self) -> bool:
        """Count tokens with this table in the whole process; False if it is missing or damaged."""
        try:
            content = self._file.read_bytes()
        except OSError:
            return False
        if hashlib.sha256(content).hexdigest() != _TABLE_DIGESTS[self._encoding_name]:
            return False
        os.environ["TIKTOKEN_CACHE_DIR"] = str(self._file.parent)
        return True

    @cached_property
    def _encoding(self) -> Encoding | None:
        # tiktoken would download a missing or damaged table, but nothing may use the network unasked.
        if not self.use_table_in_whole_process():
            return None
        try:
            import tiktoken
        except ModuleNotFoundError:
            return None
        return tiktoken.get_encoding(self._encoding_name)
