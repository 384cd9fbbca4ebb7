#!/usr/bin/python3
"""A skill pack in one file of Python: what came of a poll.

The first half is the pack: a type of card with its schema, what is wrong with a
payload, and what a card looks like. The second half speaks vak's protocol and
knows nothing of polls: keep it as it is and replace the first.

It needs Python 3.9 and grpcio, and nothing else: no file beside this one, so that
the hash of this file in plugin.json is the hash of all the pack's code.
"""

import hashlib
import json
import os
import sys
import threading
import traceback
from concurrent import futures

ID, VERSION = "poll", "1.0.0"

SCHEMA = {
    "type": "object", "additionalProperties": False, "required": ["question", "options"],
    "properties": {
        "question": {"type": "string", "minLength": 1, "maxLength": 500},
        "options": {"type": "array", "minItems": 1, "maxItems": 100, "items": {
            "type": "object", "additionalProperties": False, "required": ["label", "votes"],
            "properties": {
                "label": {"type": "string", "minLength": 1, "maxLength": 200},
                "votes": {"type": "integer", "minimum": 0, "maximum": 1000000000},
            },
        }},
        "closed": {"type": "boolean"},
    },
}

EXAMPLE = {
    "question": "Where do we eat?",
    "options": [{"label": "Noodles", "votes": 5}, {"label": "Pizza", "votes": 3}, {"label": "Salad", "votes": 0}],
    "closed": True,
}


def check(payload):
    """Yields what the schema cannot say: (where, what was expected there)."""
    seen = set()
    for i, option in enumerate(payload["options"]):
        if option["label"] in seen:
            yield f"/options/{i}/label", "expected a label that no option before it has"
        seen.add(option["label"])


def lower(payload):
    """Makes of a payload what it looks like: a tree of the host's primitives."""
    options = payload["options"]
    total = sum(int(o["votes"]) for o in options)
    rows = [[o["label"], int(o["votes"]), f"{100 * int(o['votes']) / total:.0f} %" if total else None] for o in options]
    children = [node("table", {
        "columns": [{"label": "Option"}, {"label": "Votes", "numeric": True}, {"label": "Share", "numeric": True}],
        "rows": rows,
    })]
    if "closed" in payload:
        children.insert(0, node("badge", {"text": "Closed" if payload["closed"] else "Open"}))
    return node("section", {"title": payload["question"]}, children)


def node(primitive, props, children=()):
    n = {"primitive": primitive, "props": props}
    return {**n, "children": list(children)} if children else n


# Each type with its example, its check or None, and its lower.
TYPES = {"poll.results": (SCHEMA, EXAMPLE, check, lower)}


# ---- the protocol: docs/protocol.md ----------------------------------------------

PROTOCOL = 1
MAX_MESSAGE = 16 << 20


def info():
    types = []
    for name, (schema, example, checks, _) in TYPES.items():
        types.append({"name": name, "schema": schema, "example": example, **({"checks": True} if checks else {})})
    return {"id": ID, "version": VERSION, "types": types}


def manifest(path):
    with open(path, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    return {
        "schema_version": 1, "id": ID, "kind": "skill", "version": VERSION, "protocol": [PROTOCOL],
        "binary": os.path.basename(path), "sha256": digest,
        "info": info(), "grants": {"interpreter": "/usr/bin/python3"},
    }


def to_json(value):
    # A half of a surrogate pair, which JSON can say and UTF-8 cannot, becomes "?".
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


# Messages of protocol buffers. All fields of a skill pack's are strings, bytes or
# messages, which are encoded in the same way: a tag, a length and the bytes.

def varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def encode(*fields):
    """Encodes (number, value) pairs: text, bytes, or a number that is not negative."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
            continue
        if isinstance(value, str):
            value = value.encode("utf-8", "replace")
        out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def decode(message):
    """Returns the last value of every field with a length, by number."""
    at, fields = 0, {}

    def take():
        nonlocal at
        n = shift = 0
        while True:
            byte = message[at]
            at, n, shift = at + 1, n | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return n

    while at < len(message):
        tag = take()
        kind = tag & 7
        if kind == 0:
            take()
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 2:
            size = take()
            fields[tag >> 3], at = message[at:at + size], at + size
        else:
            raise ValueError("not a message")
    return fields


class Refusal(Exception):
    """A call that fails, in words for a person, without a word of the card."""

    def __init__(self, kind, message, hint=""):
        super().__init__(message)
        self.kind, self.message, self.hint = kind, message, hint


def serve(role):
    import grpc

    codes = {"invalid": grpc.StatusCode.INVALID_ARGUMENT, "panic": grpc.StatusCode.INTERNAL}
    log = os.fdopen(os.dup(2), "w", buffering=1)

    def end_with_host():
        # The host holds the other end of standard input and never writes to it.
        while os.read(0, 4096):
            pass
        os._exit(0)

    def method(answer):
        def call(request, context):
            try:
                return answer(decode(request))
            except Refusal as e:
                failure = e
            except Exception as e:  # its text may quote the card
                where = traceback.extract_tb(e.__traceback__)[-1]
                failure = Refusal("panic", f"the plugin's code raised {type(e).__name__} in {where.name}, line {where.lineno}", "tell its author")
                log.write(json.dumps({"@level": "error", "@message": failure.message}) + "\n")
            code = codes[failure.kind]
            detail = encode((1, failure.kind), (2, "plugin"), (3, failure.message), (4, failure.hint))
            packed = encode((1, "type.googleapis.com/vak.v1.Error"), (2, detail))
            status = encode((1, code.value[0]), (2, failure.message), (3, packed))
            context.set_trailing_metadata((("grpc-status-details-bin", status),))
            context.abort(code, failure.message)
        return grpc.unary_unary_rpc_method_handler(call)

    def card(request):
        name = request.get(1, b"").decode()
        if name not in TYPES:
            raise Refusal("invalid", "the pack has no such type")
        return TYPES[name], json.loads(request[2])

    def on_lower(request):
        (_, _, _, lowers), payload = card(request)
        return encode((1, to_json(lowers(payload))))

    def on_check_card(request):
        (_, _, checks, _), payload = card(request)
        found = list(checks(payload))[:100] if checks else []
        return encode(*((1, encode((1, path), (2, want))) for path, want in found))

    def on_shutdown(_):
        threading.Thread(target=server.stop, args=(0.5,)).start()
        return b""

    description = encode((1, "skill"), (2, role), (3, to_json(info())))
    services = {
        "vak.v1.Plugin": {"Describe": lambda _: description, "Check": lambda _: b"", "Shutdown": on_shutdown},
        "vak.v1.Skill": {"Lower": on_lower, "CheckCard": on_check_card},
        "grpc.health.v1.Health": {"Check": lambda _: encode((1, 1))},  # of go-plugin: serving
    }
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=[
        ("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.max_send_message_length", MAX_MESSAGE),
    ])
    for service, methods in services.items():
        handlers = {name: method(answer) for name, answer in methods.items()}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    path = os.path.join(os.environ.get("PLUGIN_UNIX_SOCKET_DIR") or os.environ["TMPDIR"], "pack")
    server.add_insecure_port("unix:" + path)
    server.start()
    threading.Thread(target=end_with_host, daemon=True).start()
    print(f"1|{PROTOCOL}|unix|{path}|grpc", flush=True)
    server.wait_for_termination()


def main(args):
    command = args[1] if len(args) > 1 else ""
    if command == "skill" and os.environ.get("VAK_PLUGIN") == "0d6fb3a1c7e84f52b9a26e1f5d3c8047":
        if os.environ.get("PLUGIN_CLIENT_CERT"):
            sys.exit("this pack cannot speak TLS, which its host asks for")
        return serve(command)
    if command == "describe":
        return print(json.dumps(info(), ensure_ascii=False, indent=2))
    if command == "manifest":
        return print(json.dumps(manifest(os.path.abspath(args[0])), ensure_ascii=False, indent=2))
    if command == "--version":
        return print(ID, VERSION)
    sys.exit(f"{ID} is a vak skill pack, version {VERSION}. It is started by vak, not by hand.\n"
             "By itself it does: describe, manifest, --version")


if __name__ == "__main__":
    main(sys.argv)
