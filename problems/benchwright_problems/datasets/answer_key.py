"""Reading answers of closed questions as data sets write them: the answer, or a sentence that gives it alone.

Sets hold keys such as `b`, `"B"`, `B.`, `(B)` and, where translators added words, `Die richtige Antwort ist B.`
What could be read in two ways is not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

_TRUE = frozenset({"true", "t", "vrai", "wahr", "richtig", "正确", "对", "√", "✓"})
_FALSE = frozenset({"false", "f", "faux", "falsch", "错误", "错", "×", "✗"})
_NEGATION = re.compile(r"\b(?:not|no|never|nicht|kein\w*|pas|non|aucun\w*)\b|\b[nN]['’]|不|非|没|無|无")
_WORD = re.compile(r"[^\W\d_]+|[√✓×✗]")
# Chinese has no space before a letter.
_LETTER = re.compile(r"(?<![A-Za-zÀ-ÿ0-9_'’-])([A-Z])(?![A-Za-zÀ-ÿ0-9_'’-])")
# "A" is a French verb and an English article where words follow it.
_ARTICLE = re.compile(r"^\W*A\s+(?!(?:is|ist|est|et)\b)[^\W\d_]")


def nfkc_stripped(text: str) -> str:
    """Text in its compatibility form (NFKC: full-width letters become ASCII), without white space around it."""
    return unicodedata.normalize("NFKC", text).strip()


def integer_if_digits(json_value: object) -> object:
    """The number that a string of digits denotes; any other value as it is."""
    digits = nfkc_stripped(json_value) if isinstance(json_value, str) else ""
    return int(digits) if re.fullmatch(r"[0-9]{1,15}", digits) else json_value


def only_named_letter(written_key: str, letters: Collection[str]) -> str | None:
    """The one letter that a key names, in upper case; None if it names none or several.

    Args:
        written_key: The key.
        letters: The question's, in upper case.
    """
    normal_text = nfkc_stripped(written_key)
    if _NEGATION.search(normal_text):
        return None
    letters_only = re.sub(r"[\W_]", "", normal_text).upper()
    if len(letters_only) == 1:
        return letters_only if letters_only in letters else None
    if _ARTICLE.match(normal_text):
        return None
    named_letters = set(_LETTER.findall(normal_text))
    return named_letters.pop() if len(named_letters) == 1 and named_letters <= set(letters) else None


def stated_truth(key_value: object) -> bool | None:
    """Return the truth value that the key of an assertion states; None if it says neither or both.

    Args:
        key_value: A JSON boolean, or text.
    """
    if isinstance(key_value, bool):
        return key_value
    if not isinstance(key_value, str):
        return None
    folded_text = nfkc_stripped(key_value).casefold()
    if _NEGATION.search(folded_text):
        return None
    if folded_text in _TRUE | _FALSE:
        return folded_text in _TRUE
    key_words = [word for word in _WORD.findall(folded_text) if len(word) > 1 or word in "√✓×✗对错"]
    truths = {word in _TRUE for word in key_words if word in _TRUE | _FALSE}
    return truths.pop() if len(truths) == 1 else None
