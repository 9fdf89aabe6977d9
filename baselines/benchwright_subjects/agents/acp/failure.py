"""Ways in which an agent can break the protocol."""

from __future__ import annotations

from benchwright_subjects.agents.launch import AgentEnding


class AcpError(Exception):
    """An agent broke the protocol, or ended too early.

    Args:
        ending: End of its attempt.
        detail: A sentence without a point; it may quote the agent.
    """

    def __init__(self, ending: AgentEnding, detail: str) -> None:
        super().__init__(detail)
        self.ending = ending
        self.detail = detail


def printable_words(agent_words: object, most_characters: int = 200) -> str:
    """Words of an agent, short, and without what a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in str(agent_words)[:most_characters])
