"""Tests have the usual signals, however their run was started."""

from __future__ import annotations

import signal


def test_signals_that_a_shell_ignores_in_the_background_are_not_ignored() -> None:
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
