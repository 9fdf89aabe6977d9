"""Fixtures and helpers of the tests of label command."""

from __future__ import annotations

import json
import re

from ..service.judge_endpoint import JudgeRequest, PlayedReply, content

SOLUTION = "Sixteen sets of four ways, hence four index bits and six bits of offset"


CHOICE = {
    "question_id": 1,
    "question": "A cache that writes to memory at eviction only is called ____.",
    "options": ["write-back", "write-through", "inclusive", "exclusive"],
    "answer": "A",
    "topic": "",
}


FREE = {"question_id": "exam/2", "context": "", "question": "Work out the cache's index bits.", "solution": SOLUTION}


NETWORK = FREE | {"question_id": "exam/3", "question": "Route a packet on a mesh network without deadlock."}


def kind_of(request: JudgeRequest) -> str:
    phrase = re.search(r"by the one skill|how hard|by topic", request.system)
    assert phrase
    return {"by the one skill": "skill", "how hard": "difficulty", "by topic": "topic"}[phrase[0]]


def good(request: JudgeRequest) -> PlayedReply:
    """A model that labels as anybody would."""
    if "deadlock" in request.user:
        skill, topic = "design", "Interconnection Networks"
    else:
        skill, topic = ("recall" if "eviction" in request.user else "analyze"), "Memory Systems"
    listed = [line[2:].partition(":")[0] for line in request.system.splitlines() if line.startswith("- ")]
    match kind_of(request):
        case "skill":
            labels = {"reason": "One has to know what it is about.", "skill": skill}
        case "difficulty":
            labels = {"reason": "One step.", "difficulty": "hard" if skill == "design" else "easy"}
        case _:
            second = next(name for name in listed if name != topic)
            labels = {"first": topic, "first_reason": "It is.", "second": second, "second_reason": "Nearly."}
    return content(json.dumps(labels))
