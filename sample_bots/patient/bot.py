"""Plays towards melds, and does not end the deal at once: it waits for a low count while the stock is high."""

from sample_bots import basic, club, contract, indian13, knocking, rummy500, sdk


def choose(decision: sdk.Decision) -> sdk.Answer:
    """The action of the phase that costs least now."""
    if decision.view.game == "basic":
        return basic.choose(decision, waits=True)
    if decision.view.game == "club":
        return club.choose(decision, waits=True)
    if decision.view.game == "rummy500":
        return rummy500.choose(decision, waits=True)
    if decision.view.game == "contract":
        return contract.choose(decision, waits=True)
    if decision.view.game == "indian13":
        return indian13.choose(decision, bold=True)
    return knocking.choose(decision.view, decision.legal, waits=True)


if __name__ == "__main__":
    sdk.run(choose)
