"""The studies that the user of this machine takes part in, and the pseudonym in each."""

from __future__ import annotations

import json

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.home import Home
from benchwright_server.errors import ServerError


class Participation:
    """A small file in the user's own data folder; its content is never logged.

    Args:
        home: The folders of this user.
    """

    def __init__(self, home: Home) -> None:
        self._file = home.data / "studies" / "participation.json"

    def pseudonym_by_study(self) -> dict[str, str]:
        """Study → pseudonym.

        Raises:
            ServerError: The file is damaged or can't be read.
        """
        try:
            value = json.loads(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ServerError(
                f"{self._file} can't be read. Delete it, then run `benchwright study run` again."
            ) from error
        if not isinstance(value, dict):
            raise ServerError(f"{self._file} is damaged. Delete it, then run `benchwright study run` again.")
        return {str(study): str(participant) for study, participant in value.items()}

    def pseudonym(self, study_id: str) -> str:
        """The user's pseudonym in a study.

        Raises:
            ServerError: The user does not take part in it.
        """
        participant = self.pseudonym_by_study().get(study_id)
        if participant is None:
            raise ServerError(
                f"You don't take part in the study {study_id!r} on this machine. "
                "Begin with `benchwright study run FILE --participant NAME`."
            )
        return participant

    def add_study(self, study_id: str, participant: str) -> None:
        """Record that the user takes part."""
        self._write_pseudonyms({**self.pseudonym_by_study(), study_id: participant})

    def remove_study(self, study_id: str) -> None:
        """Record that the user no longer takes part."""
        self._write_pseudonyms(
            {name: participant for name, participant in self.pseudonym_by_study().items() if name != study_id}
        )

    def _write_pseudonyms(self, pseudonym_by_study: dict[str, str]) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(self._file, json.dumps(pseudonym_by_study, indent=1).encode(), 0o600)
