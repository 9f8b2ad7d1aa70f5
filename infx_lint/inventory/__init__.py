"""What a change did to what each config key runs, and which changelog entries say so."""
