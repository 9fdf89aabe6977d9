"""The registered types of events, and what follows from their declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter

from benchwright_attempts.events.event_body import EditEvidence, EventBody, TextEffect
from benchwright_attempts.state import Transitions


class EventTypes:
    """Types of events by their names in records.

    Args:
        classes: One for each type.
    """

    def __init__(self, classes: Sequence[type[EventBody]]) -> None:
        self.classes: Mapping[str, type[EventBody]] = {
            _type_name_of_class(event_class): event_class for event_class in classes
        }
        union: Any = Annotated[reduce(or_, classes), Field(discriminator="type")]
        self._reader: TypeAdapter[Any] = TypeAdapter(union, config=ConfigDict(defer_build=True))
        self.transitions: Mapping[str, Transitions] = {
            name: event_class.transitions
            for name, event_class in self.classes.items()
            if event_class.transitions is not None
        }
        """Types that are possible in some states only, or that change the state."""
        self.holds_clock = self._names_with_flag("holds_clock")
        self.releases_clock = self._names_with_flag("releases_clock")
        self.activity = self._names_with_flag("is_activity")
        """Types of events that the solver causes. Heartbeats, verdicts and diagnostics are no activity."""
        self.clock_changes = (
            self.holds_clock
            | self.releases_clock
            | {
                name
                for name, transitions in self.transitions.items()
                if any(old != new for old, new in transitions.items())
            }
        )
        """Types that start, stop, hold or release the clock; others only let time pass."""

    def read_event(self, json_value: object) -> Any:
        """The event that a JSON value stands for.

        Raises:
            ValueError: The value is no event.
        """
        return self._reader.validate_python(json_value)

    def names_with_evidence(self, evidence: EditEvidence) -> frozenset[str]:
        """Types that say something about an edit which is found in this way."""
        return frozenset(name for name, event_class in self.classes.items() if event_class.evidence is evidence)

    def names_with_effect(self, *effects: TextEffect) -> frozenset[str]:
        """Types with one of these effects on the files of a replay."""
        return frozenset(name for name, event_class in self.classes.items() if event_class.text_effect in effects)

    def _names_with_flag(self, flag_name: str) -> frozenset[str]:
        return frozenset(name for name, event_class in self.classes.items() if getattr(event_class, flag_name))


def _type_name_of_class(event_class: type[EventBody]) -> str:
    name: str = event_class.model_fields["type"].default
    return name
