"""The wire of version 1 as it has been given out: what every field is, and messages with every field in them.

python tests/golden/golden_wire.py        adds what is new to wire/v1.json; what stands there stays
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from rummy.wire.v1 import arbiter_pb2, bots_pb2, table_pb2, watch_pb2

FILE = Path(__file__).parent / "wire" / "v1.json"
MODULES = (table_pb2, bots_pb2, arbiter_pb2, watch_pb2)


def messages() -> dict[str, Descriptor]:
    """Every message that a call takes or gives, and every message in one, by its name."""
    found: dict[str, Descriptor] = {}
    for module in MODULES:
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                _collect(method.input_type, found)
                _collect(method.output_type, found)
    return found


def _collect(message: Descriptor, found: dict[str, Descriptor]) -> None:
    if message.full_name not in found:
        found[message.full_name] = message
        for field in message.fields:
            if field.message_type is not None:
                _collect(field.message_type, found)


def methods() -> dict[str, str]:
    """Every call: what it takes, and what it gives."""
    return {
        f"{service.full_name}/{method.name}": " -> ".join(
            ("stream " if streams else "") + kind.full_name
            for kind, streams in (
                (method.input_type, method.client_streaming),
                (method.output_type, method.server_streaming),
            )
        )
        for module in MODULES
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


def fields(message: Descriptor) -> dict[str, str]:
    """By name: number and type of each field."""
    return {field.name: f"{field.number} {_type(field)}" for field in message.fields}


def _type(field: FieldDescriptor) -> str:
    names = {value: name[5:].lower() for name, value in vars(FieldDescriptor).items() if name.startswith("TYPE_")}
    kind = field.message_type or field.enum_type
    return ("repeated " if field.is_repeated else "") + (kind.full_name if kind is not None else names[field.type])


def values(enum: EnumDescriptor) -> dict[str, int]:
    """By name: the numbers of an enumeration."""
    return {value.name: value.number for value in enum.values}


def enums() -> Iterator[EnumDescriptor]:
    """Every enumeration in a message."""
    found = {
        field.enum_type.full_name: field.enum_type
        for message in messages().values()
        for field in message.fields
        if field.enum_type is not None
    }
    yield from found.values()


def filled(descriptor: Descriptor, depth: int = 4) -> Message:
    """A message in which every field says something, as deep as *depth*; of a oneof, the last one."""
    message = GetMessageClass(descriptor)()
    for number, field in enumerate(descriptor.fields, 1):
        if field.message_type is not None and depth == 0:
            continue
        value = _value(field, number, depth)
        target = getattr(message, field.name)
        if field.is_repeated:
            target.extend([value, value])
        elif field.message_type is not None:
            target.CopyFrom(value)
        else:
            setattr(message, field.name, value)
    return message


def _value(field: FieldDescriptor, number: int, depth: int) -> Any:
    if field.message_type is not None:
        return filled(field.message_type, depth - 1)
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            return bytes([number, 255]) if field.type == FieldDescriptor.TYPE_BYTES else f"text {number} ä"
        case FieldDescriptor.CPPTYPE_DOUBLE:
            return number + 0.5
        case FieldDescriptor.CPPTYPE_BOOL:
            return True
    return 100 + number


def read(message: Message) -> Any:
    """The message as JSON."""
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def main() -> None:
    """Adds what is new."""
    known: dict[str, Any] = {"methods": {}, "fields": {}, "values": {}, "messages": {}}
    if FILE.exists():
        known = json.loads(FILE.read_text())
    known["methods"] = {**methods(), **known["methods"]}
    for enum in enums():
        known["values"][enum.full_name] = {**values(enum), **known["values"].get(enum.full_name, {})}
    for name, descriptor in messages().items():
        known["fields"][name] = {**fields(descriptor), **known["fields"].get(name, {})}
        message = filled(descriptor)
        sample = {"bytes": message.SerializeToString(deterministic=True).hex(), "says": read(message)}
        kept = known["messages"].setdefault(name, [])
        if sample not in kept:
            kept.append(sample)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
