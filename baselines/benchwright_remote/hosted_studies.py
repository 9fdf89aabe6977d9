"""The studies that this user takes part in at bench services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter, ValidationError

from benchwright_foundation.atomic import write_atomically
from benchwright_foundation.file_lock import file_lock
from benchwright_foundation.home import Home
from benchwright_foundation.model import Model
from benchwright_problems.assignment import Assignment
from benchwright_remote.errors import ServiceError


class HostedStudy(Model):
    """A study and the service that conducts it."""

    service: str
    """Its address, without a slash at its end."""
    study: str
    participant: str
    assignments: Mapping[str, str]
    """Pack, as the study file names it → id of the service's assignment."""

    def find_assignment(self, pack_name: str) -> Assignment | None:
        """The assignment as which a pack's problems are graded; None if the study has none of it."""
        if pack_name not in self.assignments:
            return None
        return Assignment(
            service=self.service,
            id=self.assignments[pack_name],
            course=self.study,
            title=self.study,
            pack=pack_name,
            study=self.study,
        )


class HostedStudies:
    """Kept in a file of this user.

    Args:
        home: The folders of this user.
    """

    def __init__(self, home: Home) -> None:
        self._file = home.data / "studies" / "services.json"

    def list_all(self) -> Sequence[HostedStudy]:
        """Every one.

        Raises:
            ServiceError: The file can't be read.
        """
        try:
            return TypeAdapter(tuple[HostedStudy, ...]).validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return ()
        except (OSError, ValidationError) as error:
            raise ServiceError(
                f"{self._file} can't be read ({type(error).__name__}). Delete it; it is made again while the service"
                " answers."
            ) from None

    def find_study(self, study: str) -> HostedStudy | None:
        """A study; None if no service conducts it.

        Raises:
            ServiceError: The file can't be read.
        """
        return next((hosted_study for hosted_study in self.list_all() if hosted_study.study == study), None)

    def add(self, hosted_study: HostedStudy) -> None:
        """Keeps a study.

        Raises:
            ServiceError: The file can't be read or written, or another service conducts a study of this name.
        """
        known_study = self.find_study(hosted_study.study)
        if known_study == hosted_study:
            return
        if known_study is not None and known_study.service != hosted_study.service:
            raise ServiceError(f"{known_study.service} has a study {hosted_study.study!r} too; ask which one is meant.")
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with file_lock(self._file.with_suffix(".lock")):
                hosted_studies = (
                    *(other_study for other_study in self.list_all() if other_study.study != hosted_study.study),
                    hosted_study,
                )
                write_atomically(self._file, TypeAdapter(tuple[HostedStudy, ...]).dump_json(hosted_studies), 0o600)
        except OSError as error:
            raise ServiceError(f"{self._file} can't be written: {error.strerror}.") from error
