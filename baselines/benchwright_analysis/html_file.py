"""A page as one file that asks no address for anything, and in which nothing runs but our own script."""

from __future__ import annotations

import base64
import hashlib
from html import escape

from benchwright_foundation.page_style import tokens_css


def html_file_text(title: str, style: str, script: str, body: str, *, extra_policy_directives: str) -> str:
    """The whole file.

    Args:
        title: Plain text.
        style: CSS, after the properties of colour, type and space.
        script: JavaScript; the browser runs no other one.
        body: HTML.
        extra_policy_directives: Further directives of the content security policy.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; {extra_policy_directives}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title>
<style>{tokens_css()}{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""
