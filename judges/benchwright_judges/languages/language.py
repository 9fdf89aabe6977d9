r"""Facts that Benchwright needs about a language to ask questions in it and to read the answers.

Fields marked "regex" hold a fragment that is joined with those of the other languages by `|`: an answer may be in
another language than its question, so every reader knows all languages at once. Fragments match without regard to
case unless a field says otherwise, hold no numbered groups of their own unless a field says so, and may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False, kw_only=True)
class LanguageWording:
    """Wording of questions in the language, and of requests for replies."""

    system: str
    """The system message of an examination."""
    choose: str
    """Asks for a letter."""
    decide: str
    """Asks for true or false."""
    fill: str
    """Asks for what fills the blank."""
    explain: str
    """Asks for an open answer."""
    think: str
    """Asks for steps before the answer; `{marker}` stands for the word that the answer follows."""
    marker: str
    """Begins the line with the answer."""
    true: str
    false: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Discourse:
    r"""Words that refuse, correct, deny, suppose and conclude answers. Regexes are verbose: write `\s` for a space.

    Read by `answer_extraction` and `reply_text`.
    """

    answer_fields: tuple[str, ...] = ()
    """Names of fields of JSON objects and tags that hold an answer; one word may precede it."""
    tags: tuple[str, ...] = ()
    """Further names of tags, but not of fields, that hold an answer."""
    other_fields: tuple[str, ...] = ()
    """Their names where no field has one of these names."""
    refusal: str = ""
    """Regex: the solver will not or cannot answer."""
    correction: str = ""
    """Regex: what came before is withdrawn, such as "no, wait". `<SAID>` stands for what the answer names."""
    denial: str = ""
    """Regex: the clause before a statement negates it, or attributes it to others."""
    condition: str = ""
    """Regex: the clause is a supposition or a question, such as "if"."""
    unreal: str = ""
    """Regex: the statement itself is hypothetical, such as "would be"; counts only together with a condition."""
    next_question: str = ""
    """Regex: what a question is headed by, such as "question": a reply ends before a question of its own."""
    forced: str = ""
    """Regex: a condition that supposes nothing, such as "if I had to choose"."""
    taken_back: str = ""
    """Regex: denies the statement that it follows, such as "is wrong"."""
    conclusion: str = ""
    """Regex: the statement is a conclusion, such as "therefore"."""
    final: str = ""
    """Regex: the statement is the last word, such as "final answer"."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TrueFalse:
    """Words that call a statement true or false. Read by `assertion_answers`."""

    true: tuple[str, ...]
    """Words for true, lower case, every inflected form."""
    false: tuple[str, ...]
    """Words for false, lower case."""
    true_alone: tuple[str, ...] = ()
    """Further words for true where the whole answer is that word, such as `t`."""
    false_alone: tuple[str, ...] = ()
    """The same for false."""
    value_suffix: str = ""
    """May follow a value that is the whole answer."""
    negations: str = ""
    """Regex: turns the value that follows into its opposite, such as "not"."""
    affirms: str = ""
    """Regex: begins a reply that agrees, such as "yep"."""
    denies: str = ""
    """Regex: begins a reply that does not, such as "nope"."""
    turns: str = ""
    """Regex: begins a reply with a word for true that is no verdict, such as "right, let's see"."""
    partial: str = ""
    """Regex: before a value, says that it is that of a part only, such as "the first part"."""
    holds: str = ""
    """Regex: verbs that call a statement true, such as "holds"."""
    fails: str = ""
    """Regex: verbs that call it false, such as "does not hold"."""
    joiners: str = ""
    """Regex: joins two values, neither of which is the answer."""
    because: str = ""
    """Regex: begins the reason right behind a value that begins the answer."""
    clause_starts: str = ""
    """Regex: words that may follow a value in a sentence; before any other word the value is part of a phrase, such as
    "the right half"."""
    label: str = ""
    """Regex: what an answer is headed by, such as "final answer"."""
    says: tuple[str, ...] = ()
    """Regexes of sentences that call a statement true or false. `<VALUE>` stands for a word for true or false, `<STOP>`
    for the end of the phrase."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Choices:
    """Words that name a choice. Read by `choice_mentions` and `choice_answers`.

    In every regex, `<M>` stands for a letter with its text and everything around them, `<A>` for a letter or the text
    of a choice, `<N>` for `nouns`, `<STOP>` for the end of the phrase.
    """

    nouns: str = ""
    """Regex: what an answer or a choice is called, such as "answer" and "option"."""
    copulas: str = ""
    """Regex: joins noun and letter, such as "is"."""
    joins: str = ""
    """Regex: joins two letters of a list."""
    aside: str = ""
    """Regex: before a choice that only another is compared with, such as "unlike"."""
    short_nouns: str = ""
    """Regex: abbreviated nouns, which end in a full stop."""
    because: str = ""
    """Regex: begins the reason behind a letter."""
    predicates: str = ""
    """Regex: verbs and conjunctions: a letter before one is not an article. Lower case."""
    adverbials: str = ""
    """Regex: further words that may follow a letter; before any other word it may be part of a name. Lower case."""
    this_is_right: str = ""
    """Regex: says below the heading of a choice that it is the answer."""
    this_is_wrong: str = ""
    """Regex: says there that it is the wrong one, which is the answer if the question asks for that."""
    says: tuple[str, ...] = ()
    """Regexes of sentences that name the answer; the mention is their first group."""
    holds: tuple[str, ...] = ()
    """Regexes of sentences that call a choice right, which may be said of several in one answer."""
    first_of: tuple[str, ...] = ()
    """Regexes of two mentions, the second of which is denied, such as "B, not A"."""
    second_of: tuple[str, ...] = ()
    """Regexes of two mentions, the first of which is denied, such as "not A but B"."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Commitment:
    """Words that settle a reply on a choice and that no sentence of `Choices.says` has. Read by `commitments`."""

    discussed: str = ""
    """Regex: before a choice that is only talked about, such as "consider"."""
    asks: str = ""
    """Regex: begins a question that leaves the answer open, such as "is"."""
    certain: str = ""
    """Regex: may be between a choice and the end of its clause, such as "for sure"."""
    praises: str = ""
    """Regex: behind a choice, says that it is chosen, such as "makes sense"."""
    other_nouns: str = ""
    """Regex: right before a letter that names something else than a choice, such as "core"."""
    singles: str = ""
    """Regex: right before a choice, sets it apart from the others, such as "only"."""
    others_view: str = ""
    """Regex: a sentence that does not say what the solver thinks, such as "one might think"."""
    rules_out: str = ""
    """Regex: a sentence that excludes all choices that it names, such as "rule out"."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Places:
    """Words that name a choice by its place, or all choices together. Read by `choice_positions`."""

    ordinals: tuple[str, ...] = ()
    """Regexes of the first place, the second, and so on."""
    numbers: tuple[str, ...] = ()
    """Regexes of one, two, and so on."""
    last_place: str = ""
    """Regex: the last place."""
    last_but_one: str = ""
    """Regex: the place before the last."""
    nouns: str = ""
    """Regex: what may follow a place, such as "option"."""
    articles: str = ""
    """Regex: may precede a place; without a noun it has to."""
    number_nouns: str = ""
    """Regex: what a number may follow, such as "option number"."""
    suffixes: str = ""
    """Regex: words that may follow where no space separates them."""
    none_phrases: str = ""
    """Regex: no choice, such as "none of them"; names the choice that says so."""
    all_phrases: str = ""
    """Regex: every choice, such as "all of them"."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ShortText:
    """Differences of short answers in spelling only. Read by `short_answers`."""

    articles: str = ""
    """Regex: an article with the space behind it. Used for questions in this language only."""
    lead: str = ""
    """Regex: what may come before the answer, such as "The answer is"."""
    state_verbs: str = ""
    """Regex: in a sentence, what an answer follows, such as "is" and "called"."""
    calls: str = ""
    """Regex: those of `states` that name the answer itself, such as "is called"."""
    partial_phrases: str = ""
    """Regex: a sentence about a part only, such as "each", or about what used to be."""
    hedges: str = ""
    """Regex: begins an answer without being part of it, such as "probably"."""
    tails: str = ""
    """Regex: ends it in the same way, such as "I think"."""
    contrasts: str = ""
    """Regex: what follows holds, unlike what comes before, such as "but"."""
    alternative: str = ""
    """Regex: a reply that leaves the answer open between two, such as "either"."""
    list_joins: tuple[str, ...] = ()
    """Words between the last two members of a list."""
    punctuation: str = ""
    """The language's own marks that may surround an answer."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Numbers:
    """Notation of quantities. Read by `numeric_answers`."""

    comma_is_decimal: bool = False
    """True if `1,5` is one and a half and `1.024` may be a thousand. Used for questions in this language only."""
    number_words: Mapping[str, float] = field(default_factory=dict)
    """Number words, lower case, with their values; longer numbers are put together from them."""
    byte_words: tuple[str, ...] = ()
    byte_symbols: tuple[str, ...] = ()
    """Symbols of a byte that are units only with a prefix, such as `o` in `ko`."""
    bit_words: tuple[str, ...] = ()
    unit_words: Mapping[str, str] = field(default_factory=dict)
    """Spelled-out unit → its symbol (`s`, `min`, `h`, `%`, `ms`, …). Matches case."""
    prefixed_units: Mapping[str, str] = field(default_factory=dict)
    """Spelled-out unit that takes spelled-out prefixes, as in "kilobit" → its symbol. Lower case."""
    unit_plurals: tuple[str, ...] = ()
    """Endings of such a unit."""
    per: tuple[str, ...] = ()
    """Words for `/`, as in "per second"."""
    seconds: tuple[str, ...] = ()
    """Words for a second behind such a word."""
    seconds_behind_slash: tuple[str, ...] = ()
    """Symbols of a second behind `/`, besides `s`. Matches case."""
    asks_in: str = ""
    """Regex: in a question, precedes the unit that it asks for, as in "in MB/s"."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerLanguage:
    """One language in which questions are asked and answered."""

    code: str
    """ISO 639."""
    name: str
    """Name in English, as a translator is asked for it."""
    unspaced: str = ""
    """Regex character ranges of a script that puts no spaces between words; empty for others."""
    wording: LanguageWording
    discourse: Discourse = Discourse()
    true_false: TrueFalse
    choices: Choices = Choices()
    commitment: Commitment = Commitment()
    places: Places = Places()
    short_text: ShortText = ShortText()
    numbers: Numbers = Numbers()


def number_values(words: str, *, first_value: int = 0, step: int = 1) -> dict[str, float]:
    """Number words in order, with their values."""
    return {word: first_value + step * index for index, word in enumerate(words.split())}


def any_of(alternatives: Iterable[str]) -> str:
    """Regex alternatives, joined; empty ones are left out."""
    return "|".join(alternative for alternative in alternatives if alternative)


def joined(languages: Iterable[AnswerLanguage], fragment: Callable[[AnswerLanguage], str]) -> str:
    """One fragment of every language, joined as alternatives; matches nothing if no language has it."""
    return any_of(fragment(language) for language in languages) or r"(?!)"


def fill(pattern: str, **stands_for: str) -> str:
    """A sentence's regex with its placeholders replaced, such as `<STOP>`."""
    return re.sub("<([A-Z]+)>", lambda match: stands_for[match[1]], pattern)
