"""`python -m rummy.cli`."""

from rummy.cli.main import main

main()
