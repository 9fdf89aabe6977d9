"""Helpers of the tests of the teacher's API."""

from __future__ import annotations

import re

import httpx2

from benchwright_remote.teaching_messages import Scope

from .course_people import send


def new_token(teacher: httpx2.Client, *scopes: Scope, name: str = "a script") -> str:
    """A personal token of somebody who is signed in, as the page shows it."""
    reply = send(teacher, "/tokens", name=name, days="7", scope=[token_scope.value for token_scope in scopes])
    assert reply.status_code == 200, reply.text
    match = re.search(r"<code>(bws_[^<]+)</code>", reply.text)
    assert match is not None
    return match[1]
