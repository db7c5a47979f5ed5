"""`arena owner`: who may submit bots."""

import json
from typing import Annotated, Any

import typer

from rummy.cli.store import opened
from rummy.store import db, owners

app = typer.Typer(no_args_is_help=True, help="Owners of bots, and their tokens.")

Name = Annotated[str, typer.Argument(help="The owner's name.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]


@app.command()
def add(
    name: Name,
    again: Annotated[bool, typer.Option("--again", help="A further token for an owner that exists.")] = False,
    as_json: Json = False,
) -> None:
    """Add an owner and show the token for submissions. It is shown once: the arena keeps only its digest."""
    with opened() as database, database.transaction() as tx:
        now = db.now(tx)
        owner = owners.find(tx, name) if again else owners.create(tx, name, now=now)
        token = owners.new_token(tx, owner.owner_id, now=now)
    _tell(as_json, {"owner": owner.name, "token": token}, f"Owner {owner.name}. The token, shown only now:\n{token}")


@app.command("list")
def list_owners(as_json: Json = False) -> None:
    """List the owners by name."""
    with opened() as database, database.transaction() as tx:
        found = owners.list_all(tx)
    lines = [f"{owner.name}  since {owner.created_at:%Y-%m-%d}" for owner in found]
    answer = [{"owner": owner.name, "created_at": owner.created_at.isoformat()} for owner in found]
    _tell(as_json, answer, "\n".join(lines) or "There is no owner yet; 'arena owner add NAME' makes one.")


@app.command()
def revoke(name: Name, as_json: Json = False) -> None:
    """Revoke every token of an owner and of the owner's live bots; 'owner add NAME --again' makes a new one."""
    with opened() as database, database.transaction() as tx:
        owner = owners.find(tx, name)
        count = owners.revoke(tx, owner.owner_id, now=db.now(tx))
    _tell(
        as_json, {"owner": owner.name, "revoked": count}, f"{count} token{'s' * (count != 1)} of {owner.name} revoked."
    )


def _tell(as_json: bool, answer: Any, text: str) -> None:
    typer.echo(json.dumps(answer) if as_json else text)
