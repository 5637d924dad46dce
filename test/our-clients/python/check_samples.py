"""Reads samples from standard input, runs the Python ones without a server, and writes the operations that they called, in their order."""
import json
import sys
from typing import Any

import housebill_client

called: list[str] = []


class Offline(housebill_client.HousebillClient):
    """A client whose every response is the empty page of a list."""

    def _send(self, operation: str, method: str, path: str, **_: Any) -> Any:
        called.append(operation)
        return {"data": [], "nextCursor": None}


housebill_client.HousebillClient = Offline
for operation, samples in json.load(sys.stdin).items():
    [program] = [sample["source"] for sample in samples if sample["lang"] == "python"]
    exec(compile(program, operation, "exec"), {"print": lambda _: None})
print(json.dumps(called))
