"""Reads calls from standard input, one JSON object a line, makes them with the client, and writes each response as a line."""
import json
import os
import sys

from housebill_client import HousebillClient

client = HousebillClient(os.environ["BASE_URL"], os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
for line in sys.stdin:
    call = json.loads(line)
    response = getattr(client, call["method"])(*call["given"], **call["query"])
    print(json.dumps(response), flush=True)
