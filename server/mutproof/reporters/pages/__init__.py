"""Pages for browsers: frame, tables and sections, which every page is made of.

A page is one self-contained file: no network, no font, and only its own scripts, which its content
security policy names by digests. Colours never carry information alone.
"""
