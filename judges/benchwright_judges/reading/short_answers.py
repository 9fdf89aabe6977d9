"""Comparing short answers with accepted ones: those that differ only in spelling are the same."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from benchwright_judges import languages
from benchwright_judges.languages.language import AnswerLanguage, any_of, joined
from benchwright_judges.reading.reply_text import given_answer, lines_of, without_thoughts

_MAX_TEXT = 4000
_PUNCTUATION = " \t\r\n.,;:!?\"'`*_~"

_BULLET = re.compile(r"^\s*(?:#{1,6}|[>*+-])\s+")
_LATEX = (
    (re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf|mathit|mathcal|operatorname|rm|bf)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\(?:left|right|displaystyle|quad|qquad)(?![A-Za-z])|\\[,;!: ]|~"), " "),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), "×"),
    (re.compile(r"\\mu(?![A-Za-z])\s*"), "u"),
    (re.compile(r"\\(?:log|ln|lg|min|max|sqrt)(?![A-Za-z])"), lambda match: match[0][1:]),
    (re.compile(r"\\([%&#_{}$])"), r"\1"),
    (re.compile(r"\\[()\[\]]|\$+"), ""),
)
_SUBSCRIPT = re.compile(r"[_]\{?([A-Za-z0-9+\-]+)\}?")
_POWER = re.compile(r"\s*(?:\^|\*\*)\s*(?:\{([^{}]*)\}|\(([^()]*)\))?")
# Between two words a hyphen forms a compound; next to a single letter it is a minus.
_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})[-\u2010\u2011](?=[^\W\d_]{2})")
_BLANKS = re.compile(r"[(（]\s*[)）]|_{2,}")


def unwrap(text: str) -> str:
    """The answer without surrounding LaTeX and Markdown and without "The answer is"."""
    return _unwrapped(text, languages.LANGUAGES)


# Accepted answers and choices are the same for every reply.
@lru_cache(maxsize=512)
def _unwrapped(text: str, _known_languages: tuple[AnswerLanguage, ...]) -> str:
    plain_text = unicodedata.normalize("NFC", text.strip())[:_MAX_TEXT]
    plain_text = re.sub(r"<!--.*?(?:-->|\Z)", "", plain_text, flags=re.DOTALL).strip()
    for pattern, replacement in _LATEX:
        plain_text = pattern.sub(replacement, plain_text)
    plain_text = re.sub(r"^#+\s*answer\s*$", "", plain_text, flags=re.IGNORECASE | re.MULTILINE)
    # Emphasis, and not the power in 2**23.
    plain_text = re.sub(r"(?<![\w)])\*\*|\*\*(?![\w(])", "", _BULLET.sub("", plain_text)).strip().strip("`*_").strip()
    plain_text = _patterns().lead.sub("", plain_text).strip().strip("`*_").strip()
    return _patterns().quoted.sub(r"\1", plain_text)


def stated_answer(text: str) -> str:
    """The short answer that a reply gives: in a box, a tag or a field, or behind "Answer:" in its last line, or all."""
    if (boxed_text := given_answer(text)) is not None:
        unit_match = _patterns().unit_behind.search(text)
        return f"{boxed_text} {unit_match[1]}" if unit_match and re.fullmatch(r"[\d.,\s]+", boxed_text) else boxed_text
    plain_text = without_thoughts(text)
    lines = [line for _, line in lines_of(plain_text)]
    last_line = _BULLET.sub("", lines[-1]).strip() if len(lines) > 1 else ""
    return last_line if last_line and _patterns().announced.match(last_line.replace("**", "")) else plain_text


def normalise(text: str, language: str = "en") -> str:
    """The answer with case, width, surrounding punctuation, articles and spacing normalised.

    Args:
        text: A short answer.
        language: ISO 639 code, for its articles.
    """
    return _normalised(text, language, languages.LANGUAGES)


@lru_cache(maxsize=512)
def _normalised(text: str, language: str, _known_languages: tuple[AnswerLanguage, ...]) -> str:
    plain_text = unwrap(text)
    plain_text = re.sub("([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)", r"^\1", plain_text)
    plain_text = unicodedata.normalize("NFKC", plain_text).casefold().replace("\u2212", "-").replace("’", "'")
    plain_text = _SUBSCRIPT.sub(r"\1", plain_text)
    plain_text = _POWER.sub(lambda match: f"^{match[1] or match[2] or ''}", plain_text)
    plain_text = _HYPHEN.sub(" ", plain_text)
    spoken = languages.find_language(language)
    if spoken and spoken.short_text.articles:
        plain_text = re.sub(rf"(?<!\w){spoken.short_text.articles}", "", plain_text)
    plain_text = re.sub(r"\s+", " ", plain_text)
    # A space between a sign and a word, a digit and a letter, or next to a Chinese character is insignificant.
    plain_text = _patterns().needs_no_space.sub(r"\1", plain_text)
    plain_text = re.sub(r"(?<=\d) (?=[^\W\d])|(?<=[^\W\d]) (?=\d)", "", plain_text)
    return plain_text.strip(_patterns().punctuation)


def same_text(answer: str, accepted_answer: str, language: str, statement: str = "") -> bool:
    """True if an answer is an accepted one apart from its spelling.

    A list has to have the same members. Their order counts only if the question has several blanks.
    """
    if normalise(answer, language) == normalise(accepted_answer, language) != "":
        return True
    answer_members, accepted_members = _members(answer, language), _members(accepted_answer, language)
    if len(accepted_members) < 2 or len(answer_members) != len(accepted_members):
        return False
    if len(_BLANKS.findall(statement)) > 1:
        return answer_members == accepted_members
    return sorted(answer_members) == sorted(accepted_members)


def _members(text: str, language: str) -> list[str]:
    normal_parts = [normalise(part, language) for part in _patterns().separator.split(unwrap(text))]
    return [part for part in normal_parts if part]


@dataclass(frozen=True, eq=False)
class _Patterns:
    lead: re.Pattern[str]
    announced: re.Pattern[str]
    """A lead with something behind it."""
    unit_behind: re.Pattern[str]
    """A box, and the word behind it."""
    quoted: re.Pattern[str]
    """An answer that is quoted as a whole."""
    separator: re.Pattern[str]
    needs_no_space: re.Pattern[str]
    punctuation: str


def _patterns() -> _Patterns:
    return _compile(languages.LANGUAGES)


# Compiled at first use: a language server that opens a design never needs them.
@cache
def _compile(known_languages: tuple[AnswerLanguage, ...]) -> _Patterns:
    spaced = any_of(
        word for language in known_languages if not language.unspaced for word in language.short_text.list_joins
    )
    separators = [r"\s*(?:[;；、]|[,，](?=\s|[^\d\s]))\s*", rf"\s+(?:{any_of((spaced, '&'))})\s+"]
    unspaced = [language for language in known_languages if language.unspaced]
    for language in unspaced:
        script = f"[{language.unspaced}]"
        separators.append(rf"(?<={script})(?:{any_of(language.short_text.list_joins)})(?={script})")
    scripts = any_of((r"[^\w\s.,;]", *(f"[{language.unspaced}]" for language in unspaced)))
    lead = joined(known_languages, lambda language: language.short_text.lead)
    return _Patterns(
        announced=re.compile(rf"(?:{lead})\s*\S", re.IGNORECASE),
        unit_behind=re.compile(r"boxed\{[^{}]*\}[$)\]\\\s]{0,6}([^\W\d_]{1,12}(?:/s)?)\W*\Z"),
        quoted=re.compile(r"""\A["'“„«「‘]([^"'“”„«»「」‘’]+)["'”“»」’][.。]?\Z"""),
        lead=re.compile(rf"^(?:{lead})\s*", re.IGNORECASE),
        separator=re.compile("|".join(separators)),
        needs_no_space=re.compile(rf" ?({scripts}) ?"),
        punctuation=_PUNCTUATION + "".join(language.short_text.punctuation for language in known_languages),
    )
