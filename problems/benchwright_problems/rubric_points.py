"""The points that people who grade an answer give."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from benchwright_foundation.model import Model


class RubricItem(Model):
    """Something that an answer has to say."""

    text: Annotated[str, Field(min_length=1, max_length=2_000)]
    points: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """For all of it; people may give a part."""


class RubricPoints(Model):
    """All of them, and how many points are enough."""

    items: Annotated[tuple[RubricItem, ...], Field(min_length=1, max_length=50)]
    enough: Annotated[float, Field(gt=0)] | None = None
    """Points from which an answer is right; all of them if not given."""

    @model_validator(mode="after")
    def _require_reachable_enough(self) -> RubricPoints:
        if self.enough is not None and self.enough > self.most:
            raise ValueError(f"“enough” is more than all points, which are {self.most:g}")
        return self

    @property
    def most(self) -> float:
        """All points together."""
        return sum(item.points for item in self.items)

    @property
    def as_text(self) -> str:
        """One line for each, and what is enough."""
        lines = [f"{item.points:g}: {item.text}" for item in self.items]
        return "\n".join([*lines, f"Right from {self.enough or self.most:g} of {self.most:g} points."])


def _is_absent(rubric_points: object) -> bool:
    return rubric_points is None


# Left out where there are none: keys from before there were points keep their digest.
OptionalPoints = Annotated[RubricPoints | None, Field(exclude_if=_is_absent)]
