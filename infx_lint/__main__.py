"""Lets `python -m infx_lint` run the command line."""

from infx_lint.cli import main

main()
