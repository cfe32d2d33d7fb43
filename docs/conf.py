"""The documentation, as Sphinx builds it (`make docs`); what registries know is generated."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generated

project = "mutproof"
author = "the authors of mutproof"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "mutproof"
html_show_sourcelink = False
exclude_patterns = ["models"]
nitpicky = True


def setup(app):
    """Write the generated pages before anything is read."""
    app.connect("builder-inited", lambda app: generated.write(app.srcdir))
