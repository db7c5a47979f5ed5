"""Tournaments without cards: who meets whom, what a result is worth, how strong a bot is. Pure: no clock, no I/O."""
