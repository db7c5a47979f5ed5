"""`python -m api.reference`: docs/reference/http.md, made from the OpenAPI description of the service."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI

from api.routes import v1

HEAD = """# HTTP

Everything that the dashboard shows, as JSON under `/api/v1`. The whole description is served at `/api/v1/openapi.json`;
this page is made from it by `python -m api.reference`, and a test compares the two.

- All of it is read-only: `GET`.
- A list comes in pages: `{"items": […], "next": "…"}`. `next` is the value of the parameter for the part that follows
  (`before` or `after`), and null at the end.
- An error is `{"status": 404, "kind": "NotFound", "message": "…"}`, where the message is a sentence.
- Rounds, tables, seats, legs, deals and plies count from 0. Times are UTC.
- Cards and replays of a fixture are there once the fixture is done and reference bots have played what they are to play
  of its deals; a master seed once its tournament has ended, and its last deals with it.
"""


def page() -> str:
    """The reference page."""
    app = FastAPI()
    app.include_router(v1.router)
    spec = app.openapi()
    parts = [HEAD, "\n## Addresses\n", *_addresses(spec["paths"]), "\n## Answers\n", *_models(spec)]
    return "".join(parts)


def _addresses(paths: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in paths.items():
        for method, call in methods.items():
            yield f"\n### `{method.upper()} {path}`\n\n{call['description']}\n"
            yield f"\nAnswer: {_answer(call['responses']['200'])}\n"
            yield from _parameters(call.get("parameters", []))


def _parameters(parameters: list[Mapping[str, Any]]) -> Iterator[str]:
    asked = [parameter for parameter in parameters if parameter["in"] == "query"]
    if asked:
        yield "\n| parameter | default | |\n|---|---|---|\n"
    for parameter in asked:
        default = parameter["schema"].get("default", "")
        yield f"| `{parameter['name']}` | {f'`{default}`' if default != '' else ''} | {parameter['description']} |\n"


def _answer(response: Mapping[str, Any]) -> str:
    return " or ".join(
        _kind(content["schema"]) if kind == "application/json" else f"`{kind}`"
        for kind, content in response["content"].items()
    )


def _models(spec: Mapping[str, Any]) -> Iterator[str]:
    for name, model in sorted(spec["components"]["schemas"].items()):
        if name.startswith("Page_") or "properties" not in model:
            continue
        yield f"\n### {name}\n\n{' '.join(model.get('description', '').split())}\n\n| field | type |\n|---|---|\n"
        for field, schema in model["properties"].items():
            yield f"| `{field}` | {_kind(schema)} |\n"


def _kind(schema: Mapping[str, Any]) -> str:
    """A type in a few words, with a link where it is one of the answers."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        item = name.removeprefix("Page_").rstrip("_")
        link = f"[{item}](#{item.lower()})"
        return f"page of {link}" if name.startswith("Page_") else link
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("format") or schema.get("type", "anything"))


if __name__ == "__main__":
    sys.stdout.write(page())
