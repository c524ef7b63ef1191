"""Sections of the report: a file each, which holds it as `SECTION`."""
