"""The client: tokens, idempotency keys and retries."""
from __future__ import annotations

import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from .errors import ApiError, ConnectionFailedError, HousebillError, TokenRefusedError
from .operations import DOCUMENT_VERSION, Operations

#: How long before its end a token is replaced: at most half of its life.
_MARGIN_SECONDS = 30


@dataclass(frozen=True)
class RetryPolicy:
    """How calls are retried."""

    #: How often a call is repeated after its first attempt.
    max_retries: int = 4
    #: The longest pause before the first retry. It doubles with each further one.
    first_pause_seconds: float = 0.5
    #: The longest pause. If the server asks for a longer one, the call fails at once, and you decide.
    longest_pause_seconds: float = 30


class _NoRedirects(HTTPRedirectHandler):
    """The token must not follow a redirect, and no operation has one."""

    def redirect_request(self, *_: Any) -> None:
        return None


class HousebillClient(Operations):
    """Calls the partner API of a Housebill server. One client serves all threads of a program.

    Methods return the body of the response and raise ApiError, TokenRefusedError or ConnectionFailedError. Responses with 429 or
    5xx and lost connections are retried first.
    """

    def __init__(
        self,
        base_url: str,
        client_id: str,
        client_secret: str,
        *,
        timeout_seconds: float = 60,
        retry: RetryPolicy = RetryPolicy(),
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url is not a web address: {base_url}")
        self._base_url = base_url.rstrip("/")
        self._credentials = {"clientId": client_id, "clientSecret": client_secret}
        self._timeout_seconds = timeout_seconds
        self._retry = retry
        self._pause = pause
        self._opener: OpenerDirector = build_opener(_NoRedirects)
        self._lock = threading.Lock()
        self._token: str | None = None
        self._token_ends_at = 0.0

    def iterate(self, list_operation: Callable[..., Any], *ids: str, **query: Any) -> Iterator[Any]:
        """Every entry of a list, over all its pages: `client.iterate(client.list_quotes, status="completed")`."""
        while True:
            page = list_operation(*ids, **query)
            yield from page["data"]
            # A list that can be followed has a cursor on every page, also on an empty one.
            if page["nextCursor"] is None or not page["data"]:
                return
            query["cursor"] = page["nextCursor"]

    def _send(
        self, operation: str, method: str, path: str, *, query: Any = None, body: Any = None,
        key: str | None = None, takes_key: bool = False, is_public: bool = False,
    ) -> Any:
        headers = {"Idempotency-Key": key or str(uuid.uuid4())} if takes_key else {}
        retries = 0
        while True:
            try:
                return self._attempt(operation, method, path + _search(query), body, headers, is_public)
            except HousebillError as error:
                pause = self._pause_before_retry(error, retries)
                if pause is None:
                    raise
                self._pause(pause)
                retries += 1

    def _attempt(
        self, operation: str, method: str, target: str, body: Any, headers: dict[str, str], is_public: bool
    ) -> Any:
        """One attempt. If the token is rejected, as when it was revoked, a second one with a new token."""
        if is_public:
            return self._exchange(operation, method, target, body, headers)
        token = self._current_token()
        try:
            return self._exchange(operation, method, target, body, {**headers, "Authorization": f"Bearer {token}"})
        except ApiError as error:
            if error.status != 401:
                raise
        with self._lock:
            if self._token == token:
                self._token = None
        token = self._current_token()
        return self._exchange(operation, method, target, body, {**headers, "Authorization": f"Bearer {token}"})

    def _current_token(self) -> str:
        """A token to send. Threads that need one at the same moment wait for the same request."""
        with self._lock:
            if self._token is None or time.monotonic() >= self._token_ends_at:
                issued = self.issue_token(self._credentials)  # type: ignore[arg-type]
                lifetime = issued["expires_in"]
                self._token = issued["access_token"]
                self._token_ends_at = time.monotonic() + lifetime - min(_MARGIN_SECONDS, lifetime / 2)
            return self._token

    def _exchange(self, operation: str, method: str, target: str, body: Any, headers: dict[str, str]) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._base_url + target, data=data, method=method, headers=headers)
        request.add_header("Accept", "application/json")
        request.add_header("User-Agent", f"housebill-client-python/{DOCUMENT_VERSION}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            try:
                response = self._opener.open(request, timeout=self._timeout_seconds)
            except HTTPError as refusal:
                response = refusal
            with response:
                return _read(operation, response.status, response.headers, response.read())
        except (OSError, HTTPException) as error:
            raise ConnectionFailedError(f"no response: {error}", operation=operation) from error

    def _pause_before_retry(self, error: HousebillError, retries: int) -> float | None:
        """The pause before a failed call is repeated; None if it must not be.

        Every operation can be repeated safely: a POST has an idempotency key, and repeating any other changes nothing more.
        """
        policy = self._retry
        if retries >= policy.max_retries or not _is_temporary(error):
            return None
        jitter = random.random() * min(policy.longest_pause_seconds, policy.first_pause_seconds * 2**retries)
        asked = error.retry_after_seconds
        if asked is None:
            return jitter
        # Programs that were refused together must not return together.
        return None if asked > policy.longest_pause_seconds else asked + jitter


def _search(query: dict[str, Any] | None) -> str:
    given = {name: value for name, value in (query or {}).items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _read(operation: str, status: int, headers: HTTPMessage, raw: bytes) -> Any:
    retry_after_seconds = _parse_retry_after(headers.get("Retry-After"))
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    if 200 <= status < 300 and isinstance(body, (dict, list)):
        return body
    about: dict[str, Any] = {"operation": operation, "status": status, "retry_after_seconds": retry_after_seconds}
    if isinstance(body, dict) and "code" in body and "requestId" in body:
        raise ApiError(body, **about)  # type: ignore[arg-type]
    if isinstance(body, dict) and "error" in body and "error_description" in body:
        raise TokenRefusedError(body, **about)  # type: ignore[arg-type]
    raise ConnectionFailedError(f"the response with status {status} is not from Housebill", **about)


def _is_temporary(error: HousebillError) -> bool:
    if error.status is None:
        return isinstance(error, ConnectionFailedError)
    in_flight = isinstance(error, ApiError) and error.code == "idempotency_in_flight"
    return error.status in (408, 429) or error.status >= 500 or in_flight


def _parse_retry_after(header: str | None) -> float | None:
    """The seconds of a Retry-After header, which can be a number or an HTTP date; None if it is neither."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
