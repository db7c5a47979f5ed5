"""Every error of the project. Who caused it decides what it costs.

RummyError
  CallerFault                refused; nothing has changed
    RulesError               BadNotation, IllegalAction, UnknownGame, BadOptions
    LeagueError              NotEnoughEntrants, BadTransition, TournamentClosed
    AccessError              Unauthenticated, Forbidden, TooMany
    BadInput, NotFound, Conflict, SettingsError, ReplayMismatch
  BotFault                   costs the bot: BotTimeout, BotDisconnected, BotProtocolFault, BotIllegalAction,
                             BotCrashed, BotResourceLimit, BotNeverStarted
  HostFault                  costs nobody, the match is void and played again:
                             ArbiterUnavailable, StoreUnavailable, BrokerUnavailable
"""


class RummyError(Exception):
    """The root. Its text is a sentence for the person who has to act."""


class CallerFault(RummyError):
    """The caller asked for something that cannot be had; nothing has changed."""


class RulesError(CallerFault):
    """Something that the rules of a game do not allow."""


class BadNotation(RulesError):
    """A text that is no card, hand or action."""


class IllegalAction(RulesError):
    """An action that the rules refuse. The state is as it was."""

    def __init__(self, reason: str, seat: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seat = seat


class UnknownGame(RulesError):
    """A game that is not in the registry."""


class BadOptions(RulesError):
    """An option that the game does not have, or a value that it cannot take."""


class LeagueError(CallerFault):
    """Something that the organisation of tournaments does not allow."""


class NotEnoughEntrants(LeagueError):
    """Fewer entrants than the format needs."""


class BadTransition(LeagueError):
    """A tournament cannot go from its state to the one asked for."""


class TournamentClosed(LeagueError):
    """Entries are closed."""


class AccessError(CallerFault):
    """The caller may not do this."""


class Unauthenticated(AccessError):
    """No token, or one that is unknown or revoked."""


class Forbidden(AccessError):
    """A valid token, of somebody who may not do this."""


class TooMany(AccessError):
    """A stated limit on size or number has been passed."""


class BadInput(CallerFault):
    """A name, package or message that cannot be accepted as it is."""


class NotFound(CallerFault):
    """There is no such thing."""


class Conflict(CallerFault):
    """It exists already, or something else holds it."""


class SettingsError(CallerFault):
    """A setting that is missing or makes no sense."""


class ReplayMismatch(CallerFault):
    """A replay that does not replay."""

    def __init__(self, message: str, ply: int | None = None) -> None:
        super().__init__(message)
        self.ply = ply  # Line of the first action that differs, from 0 over the whole match; None for header or footer.


class BotFault(RummyError):
    """A bot's own doing. `cause` is the word for it in results."""

    cause = "protocol"


class BotTimeout(BotFault):
    cause = "timeout"


class BotDisconnected(BotFault):
    cause = "disconnected"


class BotProtocolFault(BotFault):
    cause = "protocol"


class BotIllegalAction(BotFault):
    cause = "illegal"


class BotCrashed(BotFault):
    cause = "crashed"


class BotResourceLimit(BotFault):
    cause = "resources"


class BotNeverStarted(BotFault):
    cause = "never started"


class HostFault(RummyError):
    """The platform's own doing: costs no bot anything."""


class ArbiterUnavailable(HostFault):
    """No arbiter answers, or one has lost the order."""


class StoreUnavailable(HostFault):
    """PostgreSQL does not answer."""


class BrokerUnavailable(HostFault):
    """The Redis-protocol server does not answer."""
