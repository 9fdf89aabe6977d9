"""The documentation's site: `./test docs` builds it into `.site`, and fails on a link that leads nowhere."""

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

project = "Benchwright"
author = "The Benchwright authors"
html_title = project
extensions = ["myst_parser"]
# As GitHub makes them, so that a link to a heading works in both.
myst_heading_anchors = 4
nitpicky = True
# Excerpts of code may leave something out with an ellipsis.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5f83", "color-brand-content": "#0b5f83"},
    "dark_css_variables": {"color-brand-primary": "#6cc3e8", "color-brand-content": "#6cc3e8"},
}

_ELSEWHERE = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"https?:|<link\b[^>]*\bhref=\"https?:")
_logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    """Connects what follows."""
    app.connect("include-read", _link_from_here)
    app.connect("build-finished", _warn_of_other_hosts)


def _link_from_here(app: Sphinx, path: Path, page: str, content: list[str]) -> None:
    """Makes the links of a file of the repository's root, such as the README, lead from the page that includes it."""
    text = content[0].replace("](docs/", "](/").replace("](LICENSE)", "](/../LICENSE)")
    content[0] = re.sub(r"\]\(([A-Z]+)\.md", lambda found: f"](/project/{found[1].lower()}.md", text)


def _warn_of_other_hosts(app: Sphinx, error: Exception | None) -> None:
    """A page opens without a network: nothing in it is loaded from another host."""
    for page in [] if error else sorted(Path(app.outdir).rglob("*.html")):
        if found := _ELSEWHERE.search(page.read_text(encoding="utf-8")):
            _logger.warning("%s loads something from another host: %s", page.name, found[0])
