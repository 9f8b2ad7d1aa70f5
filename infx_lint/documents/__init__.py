"""Bytes to syntax with positions. Nothing here knows what a file means."""
