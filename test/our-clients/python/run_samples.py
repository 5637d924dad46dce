"""Reads programs from standard input, one JSON text a line, runs them, and writes what each prints as a line: a JSON array."""
import functools
import json
import sys

import housebill_client

# All programs use one client, so that one token serves them all.
housebill_client.HousebillClient = functools.cache(housebill_client.HousebillClient)
for line in sys.stdin:
    printed: list[object] = []
    exec(json.loads(line), {"print": printed.append})
    print(json.dumps(printed), flush=True)
