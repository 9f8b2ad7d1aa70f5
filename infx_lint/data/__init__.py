"""Data that ships with the linter; each file names its source."""
