"""Gin by clause: each test names the clause of docs/rulebook/gin.md that it shows."""

from random import Random

import oracle
import pytest
from gin_table import FIRST, SECOND, dealt, frozen, hand, legal, play
from hands import rich_hand
from sentences import is_sentence

from rummy.errors import BadOptions, IllegalAction
from rummy.rules.actions import Arrange, Discard, DrawPile, Knock, LayOff, Meld
from rummy.rules.cards import cards_text, parse_card, parse_cards
from rummy.rules.game import DealResult, DealTerms, EventKind, Phase
from rummy.rules.games import find_game, options_digest, options_json, options_of
from rummy.rules.games.gin import Gin
from rummy.rules.games.gin_state import GinState, GinTally
from rummy.rules.notation import parse_action

GIN = Gin()


def refused(state: GinState, text: str, reason: str, game: Gin = GIN) -> None:
    """The action is illegal for this reason, and nothing has changed."""
    before = frozen(state)
    with pytest.raises(IllegalAction, match=reason) as refusal:
        game.apply(state, parse_action(text))
    assert is_sentence(refusal.value.reason)
    assert frozen(state) == before


def ended(state: GinState) -> DealResult:
    assert state.decision is None and state.result is not None
    return state.result


# The deal


def test_two_seats_and_one_pack_gin_1_1() -> None:
    assert sorted(GIN.deck(2)) == list(range(52))
    assert (GIN.spec.min_seats, GIN.spec.max_seats) == (2, 2)


def test_ten_each_one_at_a_time_from_the_dealers_left_gin_3_1_com_2() -> None:
    deck = list(range(52))
    state = GIN.deal(deck, DealTerms(2, (0, 1), dealer=0, starter=1, scores=(3, 4)))
    view = GIN.view(state, 1)
    assert view.hand == tuple(range(0, 20, 2))
    assert GIN.view(state, 0).hand == tuple(range(1, 20, 2))
    assert (view.pile, view.stock, view.dealer, view.turn) == ((20,), 31, 0, 1)
    assert (view.scores, view.hand_sizes, view.phase) == ((3, 4), (10, 10), Phase.OFFER)
    play(state, "N N S")
    assert 21 in GIN.view(state, 1).hand


def test_the_other_seat_than_the_first_dealer_starts_gin_3_2() -> None:
    assert GIN.terms(GIN.tally(2, 0)) == DealTerms(2, (0, 1), dealer=0, starter=1, scores=(0, 0))


@pytest.mark.parametrize(
    ("option", "starters"),
    [
        ("alternate", [0, 1, 0, 1, 0]),
        ("alternate_after_win", [0, 1, 0, 0, 1]),
        ("loser", [0, 1, 0, 0, 1]),
        ("winner", [0, 0, 1, 1, 0]),
    ],
)
def test_who_starts_the_next_deal_gin_3_3(option: str, starters: list[int]) -> None:
    game = Gin(next_starter=option)
    tally = game.tally(2, 1)
    seen = [tally.starter]
    for winner in (0, 1, None, 0):
        points = (0, 0) if winner is None else (5, 0) if winner == 0 else (0, 5)
        game.score(tally, DealResult(points, "knock", winner))
        seen.append(game.terms(tally).starter)
    assert seen == starters


# The turn


def test_the_upcard_is_offered_to_the_starter_then_to_the_other_gin_4_1() -> None:
    state = dealt()
    assert state.decision == (0, Phase.OFFER) and legal(state) == ["T", "N"]
    play(state, "N")
    assert state.decision == (1, Phase.OFFER) and legal(state) == ["T", "N"]


def test_after_two_passes_the_starter_draws_from_either_gin_4_2() -> None:
    state = play(dealt(), "N N")
    assert state.decision == (0, Phase.START) and legal(state) == ["S", "P1"]
    assert "Qh" in hand(play(state, "P1"), 0)


def test_after_two_passes_the_stock_alone_gin_4_2() -> None:
    game = Gin(after_two_passes="stock_only")
    state = play(dealt(stock="2h3h", game=game), "N N", game)
    assert legal(state, game) == ["S"]
    refused(state, "P1", "Both have passed the upcard", game)
    play(state, "S D:2h", game)
    assert legal(state, game) == ["S", "P1"]  # From the next turn on the pile is open.


def test_a_taken_upcard_makes_a_normal_turn_gin_4_3() -> None:
    state = play(dealt(), "N T")
    assert state.decision == (1, Phase.DISCARD)
    assert state.turns == 0  # A pass is no turn (COM-10).
    play(state, "D:Th")
    assert state.decision == (0, Phase.START)  # Play goes on with the starter.
    assert state.turns == 1


def test_a_turn_draws_one_card_and_discards_one_gin_4_4() -> None:
    state = play(dealt(stock="2h3h"), "N N S")
    assert GIN.view(state, 0).hand_sizes == (11, 10)
    play(state, "D:Kc")
    assert state.decision == (1, Phase.START)
    assert cards_text(GIN.view(state, 1).pile) == "QhKc"
    play(state, "P1 D:5s S")
    assert "3h" in hand(state, 0) and "Kc" in hand(state, 1)


def test_a_card_from_the_pile_may_not_be_thrown_back_gin_4_5() -> None:
    state = play(dealt(upcard="Ac"), "T")
    assert "D:Ac" not in legal(state) and "D:5d" in legal(state)
    refused(state, "D:Ac", "was taken from the pile in this turn")
    refused(state, "K:Ac", "was taken from the pile in this turn")
    assert len(legal(play(dealt(stock="2h"), "N N S"))) == 11  # A card from the stock may.


def test_the_ban_ends_with_the_turn_gin_4_5() -> None:
    state = play(dealt(upcard="Ac", stock="2h3h4s"), "T D:Kd S D:2h S")
    assert "D:Ac" in legal(state)


# The knock: FIRST holds two melds and Kc Kd 9s 5d


def test_a_knock_with_ten_or_less_kept_gin_5_1() -> None:
    state = play(dealt(upcard="Kh"), "T")
    assert [text for text in legal(state) if text[0] == "K"] == ["K:5d", "K:9s"]
    refused(state, "K:Kc", "The ten cards kept count 34; the limit is 10")
    play(state, "K:5d")
    assert state.decision == (1, Phase.SHOW)
    assert GIN.view(state, 1).closer == 0


def test_the_knock_card_lies_face_down_gin_5_1() -> None:
    state = play(dealt(upcard="Kh"), "T K:5d")
    for seat in (0, 1, None):
        view = GIN.view(state, seat)
        assert parse_card("5d") not in (*view.pile, *view.hand, *[card for known in view.known for card in known])
    knock = next(event for event in state.events if event.kind == EventKind.KNOCK)
    assert knock.seen_by(0).cards == (parse_card("5d"),)
    assert knock.seen_by(1).cards == knock.seen_by(None).cards == ()


def test_exactly_ten_knocks_and_the_card_thrown_is_not_counted_gin_5_2() -> None:
    state = play(dealt("As2s3s7c7d7hKcKdTs5d", upcard="Kh"), "T K:5d")
    assert state.count == 10
    state = play(dealt("As2s3s4s3c5d9sKcKdKh", upcard="Ah"), "T")
    assert "K:9s" in legal(state)


def test_gin_leaves_nothing_gin_5_3_gin_7_2() -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh5d", upcard="Ks"), "T K:5d")
    assert [text for text in legal(state) if ">" in text] == []
    assert ended(play(state, "A")) == DealResult((25 + 5, 0), "gin", 0)


def test_big_gin_melds_eleven_gin_5_4_gin_7_3() -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh7s", upcard="Ks"), "T")
    assert {"B", "K:7s", "D:7s"} <= set(legal(state))
    play(state, "B")
    assert GIN.view(state, 1).hand_sizes == (0, 10)
    assert ended(play(state, "A")) == DealResult((31 + 5, 0), "big gin", 0)


def test_big_gin_with_melds_of_ones_own_gin_5_4() -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh7s", upcard="Ks"), "T")
    refused(state, "B/As2s3s,7c7d7h,KcKdKhKs", "Big gin melds all eleven cards; 7s would be left")
    refused(state, "B/", "would be left")
    play(state, "B/KcKdKhKs,7c7d7h7s,As2s3s")
    assert [cards_text(meld.cards) for meld in state.melds] == ["KcKdKhKs", "7c7d7h7s", "As2s3s"]
    refused(play(dealt(upcard="Kh"), "T"), "B", "5d9s would be left")


def test_nothing_is_forced_gin_5_5() -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh7s", upcard="Ks"), "T D:7s")
    assert state.decision == (1, Phase.START)


def test_the_arrangement_handed_in_is_counted_gin_5_6() -> None:
    state = play(dealt(upcard="Kh"), "T")
    refused(state, "K:5d/As2s3s,7c7d7h", "count 39; the limit is 10")
    refused(state, "K:5d/As2s3s,7c7d7h,KcKdKs", "Ks is not in the hand")
    refused(state, "K:5d/As2s3s,7c7d7h,KcKdKh,5d9s7c", "5d is not in the hand")  # It is thrown, not kept.
    refused(state, "K", "names the card")
    play(state, "K:5d/KcKdKh,3sAs2s,7c7d7h")
    assert [cards_text(meld.cards) for meld in state.melds] == ["KcKdKh", "As2s3s", "7c7d7h"]
    assert state.count == 9


def test_a_card_counts_in_one_meld_only_gin_2_3() -> None:  # R2
    state = play(dealt("7h8h9h8s8d2c2d2hAcAd", "TsJs4sQcQdJhJd6c7c3d", upcard="Ks", stock="Kc"), "N N S")
    assert not [text for text in legal(state) if text[0] == "K"]  # The 8h serves the run or the set: 18 are left.
    refused(state, "K:Kc/7h8h9h,8s8d8h,2c2d2h", "8h is used twice")


def test_a_worse_arrangement_stands_gin_5_6_com_8() -> None:
    state = play(dealt("As2s3s7c7d7hKcKdKh4s", upcard="5c"), "T")
    play(state, "K:5c" if "K:5c" in legal(state) else "K:4s")  # 5c was taken: it is kept and counts five.
    assert state.count == 5
    state = play(dealt("As2s3s7c7d7hKcKdKh4s", stock="5c"), "N N S K:5c/As2s3s,7c7d7h,KcKdKh")
    assert state.count == 4  # It could have been gin.
    assert ended(play(state, "A")) == DealResult((5 - 4, 0), "knock", 0)


def test_the_melds_are_not_fixed_before_the_discard_gin_5_7() -> None:  # R1, R5
    state = play(dealt("2c5cAd2d7d5h6h7h5s6s", LOOSE.replace("5s", "Kd").replace("7c", "Kh"), stock="7s"), "N N S")
    assert [text for text in legal(state) if text[0] == "K"] == ["K:7d"]


@pytest.mark.parametrize("limit", [0, 3, 10, 25])
def test_a_knock_is_listed_exactly_if_the_other_ten_fit_the_limit_gin_5_1(limit: int) -> None:  # R5, R6
    random, game = Random(limit), Gin(knock_limit=limit)
    for _ in range(400):
        eleven = rich_hand(random, 11)
        rest = [card for card in oracle.ORDER if card not in eleven]
        drawn = random.choice(eleven)
        first = "".join(card for card in eleven if card != drawn)
        taken = random.random() < 0.5
        upcard, stock = (drawn, "") if taken else (rest[20], drawn)
        state = dealt(first, "".join(rest[:10]), upcard=upcard, stock=stock, game=game)
        play(state, "T" if taken else "N N S", game)
        listed = [text[2:] for text in legal(state, game) if text[0] == "K"]
        assert listed == oracle.knocks(eleven, limit, drawn if taken else None)
        assert ("B" in legal(state, game)) == (oracle.least(eleven) == 0)
        for card in eleven:
            if card not in listed:
                refused(state, f"K:{card}", "the limit is|taken from the pile", game)


# The show


def shown(first: str, second: str, show: str, thrown: str = "5d") -> DealResult:
    """Seat 0 knocks in its first turn with *thrown*, drawn from the stock; seat 1 shows."""
    spare = next(card for card in oracle.ORDER if card not in first + second + thrown)
    return ended(play(dealt(first, second, upcard=spare, stock=thrown), f"N N S K:{thrown} {show}"))


LOW = "6s7s8s2c2d2hKcKdKhAs"  # Counts one. Tabled: 2c2d2h is meld 0, KcKdKh 1, 6s7s8s 2.
LOOSE = "9sTs5sQcQdJhJd8c7c3d"


def test_lay_offs_on_the_knockers_melds_gin_6_1() -> None:
    assert shown(LOW, LOOSE, "A/;9s>2,Ts>2,5s>2") == DealResult((10 * 4 + 8 + 7 + 3 - 1, 0), "knock", 0)
    assert shown(LOW, LOOSE, "A") == shown(LOW, LOOSE, "A/;5s>2,9s>2,Ts>2")


def test_the_loose_cards_of_the_knocker_take_nothing_gin_6_1() -> None:
    state = play(dealt(LOW, LOOSE, upcard="Ac", stock="5d"), "N N S K:5d")
    refused(state, "A/;9s>3", "one of the 3 melds on the table")
    refused(state, "A/;Qc>1", "Qc does not fit KcKdKh")
    refused(state, "A;9s>2", "brings its own lay-offs")
    refused(state, "M:9sTsJs", "no such action")


def test_nobody_lays_off_against_gin_gin_6_2() -> None:
    state = play(dealt("6s7s8s2c2d2hKcKdKhKs", LOOSE, upcard="Ac", stock="5d"), "N N S K:5d")
    refused(state, "A/;9s>2", "Nobody lays off against gin")
    assert ended(play(state, "A")) == DealResult((25 + 82, 0), "gin", 0)
    state = play(dealt("6s7s8s2c2d2hKcKdKhKs", LOOSE, upcard="Ac", stock="2s"), "N N S B")
    refused(state, "A/;9s>2", "Nobody lays off against gin")


def test_the_knocker_never_lays_off_gin_6_3() -> None:
    state = play(dealt(LOW, LOOSE, upcard="Ac", stock="5d"), "N N S K:5d")
    play(state, "A")
    assert state.decision is None


def test_a_seat_may_meld_less_than_it_could_com_8() -> None:
    assert shown(LOW, SECOND.replace("5s", "Ks"), "A/4c4d4h").points == (10 * 4 + 27 - 1, 0)


def test_the_deals_score_agrees_with_the_oracle() -> None:
    random, reached = Random(9), set()
    for _ in range(1500):
        kept = rich_hand(random, 10)
        if oracle.least(kept) > 10:
            continue
        rest = [card for card in oracle.ORDER if card not in kept]
        other = rich_hand(random, 10, rest)
        drawn, upcard = random.sample([card for card in rest if card not in other], 2)
        state = play(dealt("".join(kept), "".join(other), upcard=upcard, stock=drawn), f"N N S K:{drawn}")
        melds = tuple(oracle.in_order([cards_text([card]) for card in meld.cards]) for meld in state.melds)
        mine = oracle.least(kept)
        word, points, against = oracle.gin_score(mine, oracle.least_show(other, melds if mine else ()), big=False)
        assert ended(play(state, "A")) == DealResult((points, against), word, 0 if points else 1), (kept, other)
        reached.add(word)
    assert reached == {"knock", "gin", "undercut"}


# The score


def test_lower_wins_the_difference_gin_7_1() -> None:
    assert shown("As2s3s7c7d7hKcKdKhTs", "4c4d4h9c9d9hQcQd5d6h", "A", "Jc") == DealResult((21, 0), "knock", 0)


@pytest.mark.parametrize(("loose", "points"), [("5s", 25 + 4), ("4s", 25 + 9), ("8s", 25 + 1), ("Ad", 25 + 8)])
def test_equal_or_lower_is_an_undercut_gin_7_4(loose: str, points: int) -> None:
    second = "4c4d4h9c9d9hTcTdTh" + loose
    assert shown("As2s3s7c7d7hKcKdKh9s", second, "A", "Jc") == DealResult((0, points), "undercut", 1)
    assert shown("As2s3s7c7d7hKcKdKh5d", "4c4d4h9c9d9hTcTdTh5h", "A", "Jc") == DealResult((0, 25), "undercut", 1)


def test_gin_is_never_undercut_gin_7_4() -> None:
    assert shown("As2s3s7c7d7hKcKdKhKs", "4c4d4h9c9d9hTcTdThTs", "A", "Jc") == DealResult((25, 0), "gin", 0)


def to_the_wall(state: GinState, game: Gin = GIN) -> GinState:
    """Both draw from the stock and throw that card, until three are left in it."""
    play(state, "N N", game)
    while len(state.stock) > 3:
        play(state, f"S D:{cards_text([state.stock[-1]])}", game)
    return state


def test_two_cards_in_the_stock_tie_the_deal_gin_7_5() -> None:
    state = to_the_wall(dealt())
    play(state, "S")
    assert state.decision is not None and state.decision.phase is Phase.DISCARD
    last = legal(state)[0]
    assert ended(play(state, last)) == DealResult((0, 0), "wall", None)
    assert legal(state) == []
    refused(state, "S", "The deal is over")


def test_the_seat_that_drew_to_the_wall_may_still_knock_gin_7_5() -> None:
    state = to_the_wall(dealt("As2s3s7c7d7hKcKdKh5d"))
    card = cards_text([state.stock[-1]])
    assert ended(play(state, f"S K:{card} A")).reason in ("knock", "undercut")


def test_the_wall_is_an_option_gin_7_5() -> None:
    game = Gin(wall=0)
    state = to_the_wall(dealt(game=game), game)
    for _ in range(3):
        assert state.decision is not None
        play(state, f"S D:{cards_text([state.stock[-1]])}", game)
    assert ended(state).reason == "wall"


def test_the_cap_on_turns_ties_the_deal_gin_7_6() -> None:  # R25, P29: two seats that always take the upcard
    state = play(dealt(), "N N")
    while state.decision is not None:
        play(state, "P1")
        play(state, legal(state)[0])
    assert state.turns == 100 and ended(state) == DealResult((0, 0), "turn cap", None)
    game = Gin(turn_cap=1)
    assert ended(play(dealt(game=game), "T D:Kc", game)).reason == "turn cap"


# The match


def scored(game: Gin, *deals: tuple[int | None, int]) -> GinTally:
    tally = game.tally(2, 0)
    for winner, points in deals:
        assert game.outcome(tally) is None
        by_seat = (0, 0) if winner is None else (points, 0) if winner == 0 else (0, points)
        game.score(tally, DealResult(by_seat, "knock", winner))
    return tally


def test_a_match_ends_at_a_hundred_gin_8_1_with_bonuses_gin_8_2_gin_8_3() -> None:
    tally = scored(GIN, (0, 99), (1, 30), (None, 0), (0, 1))
    outcome = GIN.outcome(tally)
    assert outcome is not None
    assert (outcome.scores, outcome.placements, outcome.reason) == ((100 + 50 + 100, 30 + 25), (1, 2), "target")


def test_a_shutout_doubles_the_deals_points_gin_8_4() -> None:
    outcome = GIN.outcome(scored(GIN, (0, 60), (0, 45)))
    assert outcome is not None and outcome.scores == (2 * 105 + 100 + 50, 0)
    tied = GIN.outcome(scored(GIN, (0, 60), (None, 0), (0, 45)))
    assert tied is not None and tied.scores == (105 + 100 + 50, 0)


def test_the_grand_total_wins_gin_8_5() -> None:
    outcome = GIN.outcome(scored(GIN, (0, 50), *[(1, 12)] * 8, (0, 51)))
    assert outcome is not None
    assert (outcome.scores, outcome.placements) == ((251, 296), (2, 1))


def test_equal_grand_totals_share_the_first_place_gin_8_6() -> None:
    outcome = GIN.outcome(scored(GIN, (1, 90), *[(1, 1)] * 4, (0, 50), (0, 69)))
    assert outcome is not None and outcome.scores == (269, 219)
    outcome = GIN.outcome(
        scored(
            GIN,
            (1, 94),
            *[(1, 1)] * 5,
            (0, 50),
            (0, 50),
        ),
        ended=True,
    )
    assert outcome is not None and outcome.scores == (250, 249)
    game = Gin(game_bonus=99)
    outcome = game.outcome(scored(game, (1, 94), *[(1, 1)] * 5, (0, 50), (0, 50)))
    assert outcome is not None and outcome.scores == (249, 249) and outcome.placements == (1, 1)


def test_sixty_deals_without_a_hundred_gin_8_7() -> None:
    tally = scored(GIN, (0, 10), (1, 9), (1, 5), *[(None, 0)] * 57)
    outcome = GIN.outcome(tally)
    assert outcome is not None
    assert (outcome.scores, outcome.placements, outcome.reason) == ((35, 64), (2, 1), "deal cap")


def test_a_short_match_counts_as_it_stands() -> None:
    tally = scored(GIN, (0, 10))
    assert GIN.outcome(tally) is None
    outcome = GIN.outcome(tally, ended=True)
    assert outcome is not None and (outcome.scores, outcome.reason) == ((35, 0), "standing")


def test_who_forfeits_is_behind_whatever_the_score() -> None:
    tally = scored(GIN, (0, 90))
    GIN.retire(tally, 0)
    outcome = GIN.outcome(tally)
    assert outcome is not None and (outcome.placements, outcome.reason) == ((2, 1), "forfeit")
    GIN.retire(tally, 1)
    both = GIN.outcome(tally)
    assert both is not None and both.placements == (1, 1)


# What a seat may know


def test_a_card_from_the_pile_stays_known_until_it_is_thrown_com_12() -> None:
    state = play(dealt(upcard="Kh", stock="2h3h"), "T D:5d")
    assert [cards_text(known) for known in GIN.view(state, 1).known] == ["Kh", ""]
    play(state, "S D:2h S D:Kh")
    assert [cards_text(known) for known in GIN.view(state, 1).known] == ["", ""]


def test_a_stock_draw_is_told_to_the_drawer_alone_com_12() -> None:
    state = play(dealt(stock="2h"), "N N S")
    assert state.events[-1].seen_by(0).cards == (parse_card("2h"),)
    assert state.events[-1].seen_by(1).cards == ()


def test_views_do_not_depend_on_cards_that_are_not_seen() -> None:  # P27, R17
    one = dealt(upcard="Kh", stock="2h3h6c6d")
    two = dealt(second="4c4d4hJcJdJhQcQdQs5s", upcard="Kh", stock="8h3h8c8d")
    for text in ("T", "D:5d", "S"):
        play(one, text)
        play(two, text)
        assert GIN.view(one, 0) == GIN.view(two, 0)
        if one.decision is not None and one.decision.seat == 0:
            assert legal(one) == legal(two)
    assert [event.seen_by(0) for event in one.events] == [event.seen_by(0) for event in two.events]


def test_a_spectator_sees_no_hand() -> None:
    view = GIN.view(dealt(), None)
    assert (view.seat, view.hand) == (None, ())


def test_what_is_shown_is_open_to_all_com_12() -> None:
    state = play(dealt(LOW, LOOSE, upcard="Ac", stock="5d"), "N N S K:5d")
    view = GIN.view(state, 1)
    assert [cards_text(known) for known in view.known] == ["As", ""]
    assert (view.hand_sizes, view.phase, view.turn) == ((1, 10), Phase.SHOW, 1)
    assert hand(state, 0) == "As"
    play(state, "A")
    end = GIN.view(state, 0)
    assert cards_text(end.melds[2].cards) == "5s6s7s8s9sTs" and end.melds[2].placers == (1, 0, 0, 0, 1, 1)
    assert end.hand_sizes == (1, 7)


# Defaults, options, refusals


def test_what_is_played_for_a_silent_seat_com_14() -> None:
    state = dealt(stock="Jc")
    for text in ("N", "N", "S"):
        assert GIN.default_action(state) == parse_action(text)
        play(state, text)
    assert GIN.default_action(state) == Discard(parse_card("Kc"))  # Ties: the highest rank, then clubs first.
    state = play(dealt("As2s3s7c7d7hKcKdKh5d", upcard="Ks"), "T")
    assert GIN.default_action(state) == Discard(parse_card("5d"))  # Never a knock.
    assert GIN.default_action(play(state, "K:5d")) == Arrange()
    with pytest.raises(IllegalAction, match="over"):
        GIN.default_action(play(state, "A"))


def test_the_default_never_throws_the_taken_card_back_com_14() -> None:
    state = play(dealt(upcard="Qh"), "T")
    action = GIN.default_action(state)
    assert action == Discard(parse_card("Kc"))
    GIN.apply(state, action)


def test_oklahoma_takes_the_limit_from_the_upcard_gin_5_1() -> None:
    game = Gin(oklahoma=True)
    for upcard, limit in (("Ah", 1), ("6h", 6), ("Qh", 10)):
        assert GIN.view(dealt(upcard=upcard, game=game), 0).knock_limit == limit
    state = play(dealt(upcard="Ah", stock="Kh", game=game), "N N S", game)
    refused(state, "K:9s", "count 5; the limit is 1", game)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"knock_limit": -1}, "knock_limit is a whole number from 0 to 100, not -1"),
        ({"knock_limit": True}, "knock_limit"),
        ({"knock_limit": 9.5}, "knock_limit"),
        ({"oklahoma": 1}, "oklahoma is true or false"),
        ({"oklahoma": True, "knock_limit": 5}, "upcard sets the limit"),
        ({"after_two_passes": "stock"}, "one of normal, stock_only"),
        ({"next_starter": None}, "next_starter is one of"),
        ({"gin_bonus": "25"}, "gin_bonus"),
        ({"wall": 31}, "wall"),
        ({"turn_cap": 0}, "turn_cap"),
        ({"target": 0}, "target"),
        ({"deal_cap": 10**9}, "deal_cap"),
        ({"turn_cap": 201}, "turn_cap"),
        ({"deal_cap": 201}, "deal_cap"),
        ({"jokers": 2}, "Gin rummy has no option 'jokers'; it has: after_two_passes"),
        ([], "Options are names with values"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(options: dict[str, object], reason: str) -> None:
    with pytest.raises(BadOptions, match=reason):
        find_game("gin", options)


def test_options_are_what_differs_from_the_defaults() -> None:
    game = find_game("gin", {"wall": 3, "knock_limit": 10, "after_two_passes": "stock_only"})
    assert options_of(game) == {"wall": 3, "after_two_passes": "stock_only"}
    assert options_json(game) == '{"after_two_passes":"stock_only","wall":3}'
    assert options_json(GIN) == "{}" and options_digest(GIN) == options_digest(find_game("gin", {"knock_limit": 10}))
    assert options_digest(game) != options_digest(GIN)
    assert find_game("gin", options_of(game)) == game


@pytest.mark.parametrize("at", ["", "N N", "T", "N N S"])
@pytest.mark.parametrize("text", ["S", "P1", "P2", "T", "N", "D:Kc", "D:2h", "D:Xr", "K:Kc", "B", "A", "E", "L:Kc>0"])
def test_whatever_is_not_legal_is_refused_and_changes_nothing(at: str, text: str) -> None:
    state = play(dealt(stock="6h"), at)
    if text in legal(state):
        play(state, text)
    else:
        refused(state, text, ".")


@pytest.mark.parametrize(
    "action",
    [
        Discard(-1), Discard(52), Discard(10**30), Discard(True), Discard(1.0), Discard("Kc"), Discard(None),  # type: ignore[arg-type]
        Knock(-1), Knock(99), Knock(True), DrawPile(0), DrawPile(True), DrawPile(10**9), Meld(()), LayOff((), 0),
        None, "S", 5,
    ],
)  # fmt: skip
def test_numbers_that_are_no_cards_are_refused(action: object) -> None:
    for at in ("", "N N", "N N S"):
        state = play(dealt(), at)
        before = frozen(state)
        with pytest.raises(IllegalAction):
            GIN.apply(state, action)  # type: ignore[arg-type]
        assert frozen(state) == before


# Properties of random play


def zones(state: GinState) -> int:
    """How many different cards are on the table, the closer's face-down card apart."""
    view = [GIN.view(state, seat) for seat in (0, 1)]
    cards = [*state.stock, *state.pile, *view[0].hand, *view[1].hand, *[c for meld in state.melds for c in meld.cards]]
    assert len(set(cards)) == len(cards)
    return len(cards)


def test_random_deals_keep_every_card_and_end() -> None:  # R7, R23, R24
    random, reasons = Random(10), set()
    for number in range(150):
        deck = list(range(52))
        random.shuffle(deck)
        state = GIN.deal(deck, DealTerms(2, (0, 1), number % 2, 1 - number % 2, (0, 0)))
        while state.decision is not None:
            actions = GIN.legal_actions(state)
            assert actions and len(set(actions)) == len(actions)
            GIN.apply(state.copy(), random.choice(actions))
            GIN.apply(state.copy(), GIN.default_action(state))
            knocks = [action for action in actions if isinstance(action, Knock)]
            GIN.apply(state, random.choice(knocks or list(actions)))
            assert zones(state) == (52 if state.closer is None or state.big else 51)
            for seat in (0, 1):
                view = GIN.view(state, seat)
                assert len(view.hand) == view.hand_sizes[seat]
                assert set(view.known[seat]) <= set(view.hand)
        reasons.add(ended(state).reason)
    assert {"wall", "knock"} <= reasons


def test_a_copy_is_independent() -> None:
    state = play(dealt(upcard="Kh"), "T")
    before, twin = frozen(state), state.copy()
    twin.events = list(state.events)
    assert frozen(twin) == before
    play(twin, "K:5d A")
    assert frozen(state) == before


def test_the_opponent_hand_is_what_was_dealt() -> None:
    assert hand(dealt(), 0) == cards_text(sorted(parse_cards(FIRST)))
    assert hand(dealt(), 1) == cards_text(sorted(parse_cards(SECOND)))
