"""A recorded attempt's files, event by event, in words: which of them its author wrote, and after how much work."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from benchwright_attempts.attribution import EditOrigin, attributions_of_edits
from benchwright_attempts.clock.clock import AttemptClock, excluded_s
from benchwright_attempts.clock.timeline import MAIN_THRESHOLD_S, TimeAtWork
from benchwright_attempts.events.event_body import TextEffect
from benchwright_attempts.events.events import EVENT_TYPES, Edit, Opened
from benchwright_attempts.events.marked_text import MarkedTexts
from benchwright_attempts.log.record import RecordedEvent

_OWN, _FOREIGN = "o", "x"
_BY_AUTHOR = frozenset({EditOrigin.TYPED, EditOrigin.SUGGESTION, EditOrigin.SNIPPET, EditOrigin.FORMAT})
_WORD = re.compile(r"[\w$]+|\S")


@dataclass(frozen=True)
class AuthorWords:
    """A file or an offer as words, numbers and signs: white space does not count, but what it separates does."""

    joined: str
    word_offsets: Sequence[int]
    """Of each word, where it begins in `joined`."""
    spans: Sequence[tuple[int, int]]
    """Of each word, from where to where it is in the text."""

    @classmethod
    def of_text(cls, text: str) -> AuthorWords:
        """The words of a string."""
        matches = list(_WORD.finditer(text))
        lengths = [len(match[0]) + 1 for match in matches]
        word_offsets = [0, *accumulate(lengths)][: len(matches)]
        return cls(
            "".join(f" {match[0]}" for match in matches) + " ", word_offsets, [match.span() for match in matches]
        )

    def word_spans(self, sought_words: AuthorWords) -> list[tuple[int, int]]:
        """From where to where in the text these words follow each other."""
        count, match_spans = len(sought_words.spans), []
        offset = self.joined.find(sought_words.joined) if count else -1
        while offset >= 0:
            first_word = bisect_right(self.word_offsets, offset) - 1
            match_spans.append((self.spans[first_word][0], self.spans[first_word + count - 1][1]))
            offset = self.joined.find(sought_words.joined, offset + 1)
        return match_spans


class AuthorText:
    """The files of an attempt at one of its moments.

    Args:
        marked_texts: Text of each file, with a mark for each code point.
        clock: The attempt's.
        time_at_work: Its active time.
    """

    def __init__(self, marked_texts: MarkedTexts, clock: AttemptClock, time_at_work: TimeAtWork) -> None:
        self._files, self._clock, self._work = marked_texts, clock, time_at_work

    @property
    def texts_by_path(self) -> dict[str, str]:
        """Every file whose text is known."""
        return {path: str(text) for path, text in self._files.pieces_by_path.items() if text is not None}

    def words(self, path: str) -> AuthorWords:
        """Of a file; none if its text is unknown."""
        text = self._files.pieces_by_path.get(path)
        return AuthorWords.of_text("" if text is None else str(text))

    def author_written_count(self, path: str, sought_words: AuthorWords) -> int:
        """Number of times that some words are in a file of which no character came from elsewhere since the opening."""
        word_spans = self.words(path).word_spans(sought_words)
        owners = str(self._files.marks_by_path[path]) if word_spans else ""
        return sum(_FOREIGN not in owners[start:end] for start, end in word_spans)

    def active_s(self, after_ms: float = 0.0) -> float:
        """Active time up to now, and some of the gap that follows.

        Args:
            after_ms: Part of the gap that counts, in milliseconds.
        """
        return self._work.active_ns(self._clock.active_ns + round(after_ms * 1e6), 0) / 1e9


def author_text_after_events(events: Sequence[RecordedEvent]) -> Iterator[tuple[RecordedEvent, AuthorText]]:
    """Each event of an attempt, with the files as they are after it: always the same object, which changes.

    Args:
        events: All of the attempt, in order.
    """
    origins = {attribution.seq: attribution.origin for attribution in attributions_of_edits(events)}
    marked_texts, clock, time_at_work = MarkedTexts(), AttemptClock(), TimeAtWork([MAIN_THRESHOLD_S])
    author_text = AuthorText(marked_texts, clock, time_at_work)
    for recorded in events:
        kind = recorded.event.type
        clock.follow_event(kind, recorded.moment.mono_ns, recorded.moment.process, excluded_s(recorded.event))
        if kind in EVENT_TYPES.activity:
            time_at_work.add_activity(clock.active_ns)
        _mark_event(marked_texts, recorded, origins)
        yield recorded, author_text


def _mark_event(marked_texts: MarkedTexts, recorded: RecordedEvent, origins: Mapping[int, EditOrigin]) -> None:
    event = recorded.event
    if isinstance(event, Edit):
        mark = _OWN if origins.get(recorded.seq) in _BY_AUTHOR else _FOREIGN
        marked_texts.edit_text(event.path, [(change.start, change.end, change.text) for change in event.changes], mark)
    elif event.text_effect is TextEffect.SETS:
        mark = _OWN if isinstance(event, Opened) else _FOREIGN
        for path, content in event.contents().items():
            new_text = None if content is None else content.text
            if (
                new_text is None
                or marked_texts.pieces_by_path.get(path) is None
                or new_text != str(marked_texts.pieces_by_path[path])
            ):
                marked_texts.set_text(path, new_text, mark)
    elif event.text_effect is TextEffect.HIDES_FILE:
        marked_texts.set_text(str(getattr(event, "path", "")), None, _FOREIGN)
    elif event.text_effect is TextEffect.HIDES_ALL:
        for path in list(marked_texts.pieces_by_path):
            marked_texts.set_text(path, None, _FOREIGN)
