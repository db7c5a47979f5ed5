from arbiter.allowance import Allowance


def test_so_much_is_let_pass_at_once_and_so_much_a_second() -> None:
    allowance = Allowance(10, 2.0, 100.0)
    assert allowance.takes(7, 100.0) and allowance.takes(3, 100.0)
    assert not allowance.takes(1, 100.4)
    assert allowance.takes(1, 100.5) and not allowance.takes(1, 100.5)


def test_what_is_refused_uses_nothing_and_what_is_saved_has_a_limit() -> None:
    allowance = Allowance(10, 2.0, 0.0)
    assert not allowance.takes(11, 1000.0)
    assert allowance.takes(10, 1000.0)
    assert not allowance.whole(1004.9)
    assert allowance.whole(1005.0)
