"""Plays any legal action, each as likely as any other."""

from sample_bots import sdk


def choose(decision: sdk.Decision) -> sdk.Answer:
    """One of the listed actions, at random."""
    return decision.random.choice(decision.legal)


if __name__ == "__main__":
    sdk.run(choose)
