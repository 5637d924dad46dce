"""Checking that a webhook message comes from Housebill."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence

from .api_types import WebhookMessage


class InvalidWebhookError(Exception):
    """The message is not Housebill's, was changed on its way, or is too old. Respond with 400."""


def verify_webhook(
    raw_body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookMessage:
    """Checks the signature of a webhook message (Standard Webhooks) and returns the message.

    `raw_body` is the body as received: parsing and serialising it again would change it. `secret` is the webhook's secret, or
    several of which one must fit, as while you replace it. `now` is your clock, in Unix seconds. Raises InvalidWebhookError.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise InvalidWebhookError(f"the header {missing} is missing") from None
    secrets = [secret] if isinstance(secret, str) else secret
    if not secrets:
        raise ValueError("verify_webhook needs at least one secret")
    clock = time.time() if now is None else now
    if not (timestamp.isascii() and timestamp.isdecimal()) or abs(clock - int(timestamp)) > tolerance_seconds:
        raise InvalidWebhookError(f"webhook-timestamp is more than {tolerance_seconds} seconds from this clock")

    signed = f"{id}.{timestamp}.".encode() + raw_body
    expected = [_sign(each, signed) for each in secrets]
    for entry in signatures.split(" "):
        for signature in expected:
            if hmac.compare_digest(entry.encode(), signature):
                return json.loads(raw_body)
    raise InvalidWebhookError("no signature fits the message and the secret")


def _sign(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError('a webhook secret is "whsec_" and Base64')
    return b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
