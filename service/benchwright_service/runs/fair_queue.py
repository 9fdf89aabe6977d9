"""Order of runs: everybody who waits gets the same share of the machines, whoever saves most often."""

from __future__ import annotations

from dataclasses import dataclass, field

FIRST_GUESS_S = 2.0
"""Time in seconds that a run is taken to cost until the first has ended."""


@dataclass
class _AccountQueue:
    used_s: float
    """Virtual time: what its runs have cost, from where others were when it came."""
    waiting_runs: dict[str, None] = field(default_factory=dict)
    """Its runs, oldest first."""
    running_count: int = 0


class FairQueue:
    """Start-time fair queueing over accounts: next is the oldest run of the account that has used least.

    Who comes back after a pause starts where the one that has used least is, so that a pause saves nothing up.
    """

    def __init__(self) -> None:
        self._accounts: dict[str, _AccountQueue] = {}
        self._owner: dict[str, str] = {}
        """Of runs that wait."""
        self._runner: dict[str, str] = {}
        """Of runs that have begun."""
        self._usual_s = FIRST_GUESS_S

    def __len__(self) -> int:
        return len(self._owner)

    def __contains__(self, run: str) -> bool:
        return run in self._owner

    def waiting_count(self, account: str) -> int:
        """Returns the number of runs of an account that wait."""
        account_queue = self._accounts.get(account)
        return len(account_queue.waiting_runs) if account_queue is not None else 0

    def add(self, run: str, account: str) -> None:
        """Puts a run at the end of its account's."""
        account_queue = self._accounts.get(account)
        if account_queue is None or not (account_queue.waiting_runs or account_queue.running_count):
            active_costs = [
                candidate.used_s
                for candidate in self._accounts.values()
                if candidate.waiting_runs or candidate.running_count
            ]
            account_queue = self._accounts[account] = _AccountQueue(
                max(min(active_costs, default=0.0), account_queue.used_s if account_queue else 0.0)
            )
        account_queue.waiting_runs[run] = None
        self._owner[run] = account

    def remove(self, run: str) -> bool:
        """Takes a run out, wherever it is; whether it was waiting."""
        account = self._owner.pop(run, None)
        if account is None:
            return False
        del self._accounts[account].waiting_runs[run]
        return True

    def begin_next_run(self) -> str | None:
        """The next run, which begins now. None if none waits."""
        waiting_accounts = [
            (candidate.used_s, name) for name, candidate in self._accounts.items() if candidate.waiting_runs
        ]
        if not waiting_accounts:
            return None
        name = min(waiting_accounts)[1]
        account = self._accounts[name]
        run = next(iter(account.waiting_runs))
        self.remove(run)
        self._runner[run] = name
        # Charged ahead: who has many runs does not get all machines at once.
        account.used_s += self._usual_s
        account.running_count += 1
        return run

    def mark_ended(self, run: str, wall_s: float | None) -> None:
        """A run that was taken has ended. Of any other, nothing happens.

        Args:
            run: Id of the run.
            wall_s: Time that it took, in seconds. None if it goes back to the queue, or was cancelled.
        """
        account = self._runner.pop(run, None)
        if account is None:
            return
        account_queue = self._accounts[account]
        account_queue.running_count -= 1
        account_queue.used_s += (wall_s or 0.0) - self._usual_s
        if wall_s is not None:
            self._usual_s += (wall_s - self._usual_s) / 16
        if not account_queue.waiting_runs and not account_queue.running_count:
            self._forget_idle_accounts()

    def queue_rank(self, run: str) -> int | None:
        """Rank of a waiting run, from 1, if nobody else comes. None if it does not wait."""
        if run not in self._owner:
            return None
        owner_account = self._owner[run]
        own_rank = self._rank_of_waiting_run(owner_account, list(self._accounts[owner_account].waiting_runs).index(run))
        return 1 + sum(
            self._waiting_count_before(own_rank, name)
            for name, candidate in self._accounts.items()
            if candidate.waiting_runs
        )

    def _rank_of_waiting_run(self, account: str, index: int) -> tuple[float, str]:
        return self._accounts[account].used_s + index * self._usual_s, account

    def _waiting_count_before(self, rank: tuple[float, str], account: str) -> int:
        """Number of runs of an account that are taken before one of this rank."""
        number = 0
        while number < len(self._accounts[account].waiting_runs) and self._rank_of_waiting_run(account, number) < rank:
            number += 1
        return number

    def _forget_idle_accounts(self) -> None:
        # One that is at the front anyway has nothing to be remembered for.
        active_costs = [
            candidate.used_s
            for candidate in self._accounts.values()
            if candidate.waiting_runs or candidate.running_count
        ]
        floor = min(active_costs, default=None)
        for name, candidate in list(self._accounts.items()):
            if (
                not candidate.waiting_runs
                and not candidate.running_count
                and (floor is None or candidate.used_s <= floor)
            ):
                del self._accounts[name]
