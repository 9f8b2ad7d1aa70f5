"""What comments claim: a small grammar of named shapes, and how a claim is judged against facts."""
