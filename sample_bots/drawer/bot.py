"""Never takes a card from the pile: its hand stays a secret. Throws well, and ends the deal as soon as it may."""

from sample_bots import basic, club, contract, indian13, knocking, rummy500, sdk


def choose(decision: sdk.Decision) -> sdk.Answer:
    """The action of the phase that costs least now."""
    if decision.view.game == "basic":
        return basic.choose(decision, takes=False)
    if decision.view.game == "club":
        return club.choose(decision, takes_pile=False)
    if decision.view.game == "rummy500":
        return rummy500.choose(decision, takes=False)
    if decision.view.game == "contract":
        return contract.choose(decision, takes=False)
    if decision.view.game == "indian13":
        return indian13.choose(decision, takes=False)
    return knocking.choose(decision.view, decision.legal, takes=False)


if __name__ == "__main__":
    sdk.run(choose)
