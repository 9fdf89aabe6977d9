"""Messages for those who organise a study: its file, its participants, its report."""

from __future__ import annotations

from benchwright_server.protocol.messages import Wire


class NewStudyParams(Wire):
    """Parameters of `benchwright/newStudy`."""

    folder: str
    """URI of a folder without a study."""


class StudyFileParams(Wire):
    """Parameters of `benchwright/checkStudy`, and result of `benchwright/newStudy`."""

    uri: str
    """URI of a study file."""


class BeginStudyParams(StudyFileParams):
    """Parameters of `benchwright/beginStudy`."""

    participant: str
    """Pseudonym of the one who works on this machine."""


class StudyFlawView(Wire):
    """One thing that is wrong with a study file."""

    line: int
    """From 0."""
    message: str


class StudyFileCheck(Wire):
    """Result of `benchwright/checkStudy` and `benchwright/beginStudy`."""

    flaws: list[StudyFlawView]
    """Empty if the file can be used."""
    text: str
    """What balances and what participants are told; or what the next step is."""


class OrganisedStudies(Wire):
    """Result of `benchwright/organisedStudies`."""

    studies: list[str]


class WriteReportParams(Wire):
    """Parameters of `benchwright/writeReport`."""

    study: str
    """Id of a study; empty for the attempts outside studies."""
    folder: str
    """URI of the folder for the report; made if it is missing."""


class WrittenReport(Wire):
    """Result of `benchwright/writeReport`."""

    uri: str
    """URI of the page."""
    page: str
    """The page: HTML that asks nothing of the network."""
