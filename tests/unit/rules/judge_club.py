"""Club against the oracle: melds, lay-offs, what may be taken, the default discard, and what a deal scores."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import oracle
import oracle_tabled as judge
from club_table import position
from hands import near_cards, packs_hand, packs_meld
from judging import cards_of_texts, kind, texts_of
from oracle_arranged import Arranged, Melding

from rummy.rules.actions import Discard, DrawPile, GoOut, LayOff
from rummy.rules.cards import parse_card
from rummy.rules.game import Phase
from rummy.rules.games.club import Club
from rummy.rules.games.club_deal import MELDS, ClubState
from rummy.rules.tabling import ACES, after_lay_off, classified, single_lay_offs, tabled

GAMES = {(ace, double): Club(ace=ace, double_clubs=double) for ace in ACES for double in (False, True)}
PARTIAL = Club(partial_discharges=True)


def state_of(turn: int, hands: list[tuple[str, ...]], pile: tuple[str, ...] = ()) -> ClubState:
    """A deal in play, one card in the stock."""
    return position(*map("".join, hands), stock="2c", pile="".join(pile), turn=turn)


def melds(random: Random) -> Iterator[str]:
    """CLB-1.2, 2.1, 2.2: what is a set or a run, in whatever order the cards come."""
    ace = random.choice(ACES)
    cards = list(packs_hand(random, random.choice((2, 3, 3, 3, 3, 4, 4, 5, 6, 8))))
    random.shuffle(cards)
    wanted = "set" if judge.is_club_set(cards) else "run" if judge.is_club_run(cards, ace) else "neither"
    found = classified(cards_of_texts(cards), MELDS[ace])
    assert ("neither" if found is None else "run" if found[1] else "set") == wanted, (ace, cards)
    yield wanted


def lay_offs(random: Random) -> Iterator[str]:
    """CLB-5.2, 9.3, COM-5, 6: every card that a meld on the table takes."""
    ace = random.choice(ACES)
    table = tabled(cards_of_texts(packs_meld(random)), 0, MELDS[ace])
    if table is None:
        return
    meld = texts_of(table.cards)
    every = near_cards(random, meld)[:-1]
    grows = judge.is_club_set if not table.run else lambda cards: judge.is_club_run(cards, ace)
    found = [texts_of(each.cards)[0] for each in single_lay_offs(cards_of_texts(every), [table], MELDS[ace])]
    assert found == [card for card in every if grows((*meld, card))], (ace, meld)
    yield "run" if table.run else "set"


def takes(random: Random) -> Iterator[str]:
    """CLB-4.1 to 4.4: how many cards of the pile may be taken, with lay-offs that discharge the duty or without."""
    cards = list(packs_hand(random, random.randint(4, 16)))
    random.shuffle(cards)
    size = random.randint(1, len(cards) - 2)
    hand, pile = oracle.in_order(cards[:size]), tuple(cards[size:])
    game = random.choice((GAMES["either", True], PARTIAL))
    state = state_of(0, [hand, ("3d",)], pile)
    table = tabled(cards_of_texts(packs_meld(random)), 1, MELDS["either"])
    state.melds = [] if table is None else [table]
    fits = judge.club_takes(hand, pile)
    if game is PARTIAL and table is not None:
        grows = judge.is_club_run if table.run else judge.is_club_set
        laid = [n for n in range(1, len(pile) + 1) if grows((*texts_of(table.cards), pile[-n]))]
        fits = sorted({*fits, *laid})
    found = [action.count for action in game.legal_actions(state) if isinstance(action, DrawPile)]
    assert found == fits, (hand, pile, state.melds)
    yield "some" if found else "none"


def discards(random: Random) -> Iterator[str]:
    """CLB-8.1, 9.1, COM-14: the discard after which the fewest points are unmelded, of several the highest card."""
    ace, double = random.choice(list(GAMES))
    hand = packs_hand(random, random.randint(2, 13))
    how = Melding(ace, distinct=False, most_set=108)
    best = Arranged(hand, how, lambda card: judge.club_value(card, table=False, double=double))
    after = {card: best.least(card) for card in hand}
    least = [card for card in after if after[card] == min(after.values())]
    rank = {card: (oracle.RANKS.index(card[0]), -oracle.SUITS.index(card[1])) for card in least}
    state = state_of(0, [hand, ("3d",)])
    state.phase = Phase.DISCARD
    thrown = Discard(parse_card(max(least, key=rank.__getitem__)))
    assert GAMES[ace, double].default_action(state) == thrown, (ace, double, hand)
    yield "all melded" if not min(after.values()) else "melds" if best.pieces else "none"


def scores(random: Random) -> Iterator[str]:
    """CLB-7.2, 7.3, 8, 9: who may go out, and what each seat scores for what it has placed and holds."""
    seats, double = random.randint(2, 6), random.random() < 0.5
    game = GAMES["either", double]
    turn, held = random.randrange(seats), [packs_hand(random, random.randint(0, 6)) for _ in range(seats)]
    if random.random() < 0.5:
        held[turn] = held[turn][: random.randrange(3)]
    state = state_of(turn, held)
    melds: list[judge.ClubMeld] = []
    for _ in range(random.randrange(4)):
        add_meld(random, state, melds, seats)
    state.turns, state.phase = random.choice((seats - 1, seats, 2 * seats)), Phase.GO_OUT
    state.had_laid = random.random() < 0.5
    limit = -1 if state.turns + 1 < seats else 25
    if seats >= 5 and state.turns + 1 < 2 * seats:
        limit = 0
    points = sum([judge.club_value(card, table=False, double=double) for card in held[turn]])
    assert (GoOut() in game.legal_actions(state)) is (points <= limit), (seats, held, state.turns)
    if points > limit:
        yield "may not go out"
        return
    game.apply(state, GoOut())
    at_once = not state.had_laid and any(seat == turn for meld in melds for _, seat in meld)
    wanted = judge.club_score(melds, held, turn, at_once=at_once, double=double)
    assert state.result is not None and list(state.result.points) == wanted, (melds, held, turn)
    more = points > min(sum([judge.club_value(card, table=False, double=double) for card in hand]) for hand in held)
    yield from ["beaten" if more else "out" if held[turn] else "at once" if at_once else "no card"] * seats


def add_meld(random: Random, state: ClubState, melds: list[judge.ClubMeld], seats: int) -> None:
    """Tables a meld of any seat, and has any seats lay cards off on it."""
    owner = random.randrange(seats)
    table = tabled(cards_of_texts(packs_meld(random)), owner, MELDS["either"])
    if table is None:
        return
    placed = [(card, owner) for card in texts_of(table.cards)]
    for card in near_cards(random, texts_of(table.cards))[:-1]:
        seat = random.randrange(seats)
        grown = after_lay_off(table, LayOff((parse_card(card),), 0), seat, MELDS["either"])
        if grown is not None:
            table = grown
            placed.append((card, seat))
    state.melds.append(table)
    melds.append(placed)


KINDS = {
    "melds": kind(melds, "set, run, neither"),
    "lay-offs": kind(lay_offs, "set, run"),
    "takes": kind(takes, "some, none"),
    "discards": kind(discards, "all melded, melds, none"),
    "scores": kind(scores, "may not go out, beaten, out, at once, no card"),
}
