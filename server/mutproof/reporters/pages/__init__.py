"""Pages for browsers: frame, tables and sections, which every page is made of.

A page is one file that needs nothing else: no network, no font, no script but its own, which its
content security policy names by digests. What colour says, words say too.
"""
