"""Syntax to meaning: what the files of the linted repository say together."""
