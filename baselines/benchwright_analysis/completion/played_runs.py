"""Runs of inline-completion servers, read from their folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright_studies.plan.accept_policy import AcceptPolicy
from benchwright_subjects.inline.record import Hindsight, SiteRecord
from benchwright_subjects.inline.run_folder import RunFolder, RunSettings, SnapshotVerdict
from benchwright_subjects.inline.sites import SiteKind

_SiteAndPolicy = tuple[str, AcceptPolicy]


@dataclass(frozen=True)
class PlayedRun:
    """One run."""

    label: str
    """Tells it from the others of a report."""
    settings: RunSettings
    records: Sequence[SiteRecord]
    verdicts: Mapping[_SiteAndPolicy, Sequence[SnapshotVerdict]]
    """Of each site with a policy, by accepts."""
    hindsight: Sequence[Hindsight] = ()
    """Findings of replayed attempts on what was offered at their pauses."""


@dataclass(frozen=True)
class SiteGroup:
    """The sites of one kind that were played with one policy."""

    run: PlayedRun
    kind: SiteKind
    policy: AcceptPolicy
    records: Sequence[SiteRecord]

    @property
    def record_problems(self) -> Sequence[str]:
        """Of each record."""
        return [record.problem for record in self.records]

    @property
    def name_cells(self) -> tuple[str, str, str]:
        """Subject, sites and policy, for tables."""
        return self.run.label, self.kind.value, self.policy.value


def read_played_runs(folders: Sequence[Path]) -> list[PlayedRun]:
    """The runs of some folders.

    Raises:
        EvaluationError: A folder holds no run, or is damaged.
    """
    run_folders = [RunFolder(folder) for folder in folders]
    contents = [(run.settings(), run.records(), run.verdicts(), run.hindsights()) for run in run_folders]
    labels = [_run_label(settings, records) for settings, records, *_ in contents]
    often = Counter(labels)
    unique_labels = [
        f"{label} ({folder.name})" if often[label] > 1 else label for label, folder in zip(labels, folders, strict=True)
    ]
    return [
        PlayedRun(label, settings, records, _verdicts_by_site_and_policy(verdicts), hindsight)
        for label, (settings, records, verdicts, hindsight) in zip(unique_labels, contents, strict=True)
    ]


def site_groups(runs: Sequence[PlayedRun]) -> list[SiteGroup]:
    """Every kind of site with every policy, run by run; those without sites are left out."""
    run_parts = []
    for run in runs:
        for kind in SiteKind:
            for policy in AcceptPolicy:
                records = [record for record in run.records if record.kind is kind and record.policy is policy]
                if records:
                    run_parts.append(SiteGroup(run, kind, policy, records))
    return run_parts


def _run_label(settings: RunSettings, records: Sequence[SiteRecord]) -> str:
    names = sorted(
        {f"{record.subject.name} {record.subject.version}".strip() for record in records if record.subject.version}
    )
    model = f" with {settings.model}" if settings.model else ""
    return f"{' / '.join(names) or Path(settings.command[0]).name}{model}, {settings.mode}"


def _verdicts_by_site_and_policy(verdicts: Sequence[SnapshotVerdict]) -> dict[_SiteAndPolicy, list[SnapshotVerdict]]:
    verdicts_by_site: dict[_SiteAndPolicy, list[SnapshotVerdict]] = {}
    for snapshot in sorted(verdicts, key=lambda verdict: (verdict.accepts, verdict.is_end)):
        verdicts_by_site.setdefault((snapshot.site, snapshot.policy), []).append(snapshot)
    return verdicts_by_site
