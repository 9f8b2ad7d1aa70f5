"""What bash makes of a script: values, conditions, and the commands that run."""
