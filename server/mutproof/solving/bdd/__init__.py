"""Decide all properties of finite systems with binary decision diagrams.

`check` decides a system, `family` many variants of one; who only handles verdicts needs no more
than `verdict`.
"""
