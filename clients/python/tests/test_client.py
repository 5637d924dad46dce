"""Tests against a server in this process: `python3 -m unittest tests.test_client` in the folder above."""
from __future__ import annotations

import json
import threading
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from housebill_client import (
    ApiError,
    ConnectionFailedError,
    HousebillClient,
    InvalidWebhookError,
    RetryPolicy,
    TokenRefusedError,
    verify_webhook,
)

#: A status, headers and a body.
Reply = tuple[int, dict[str, str], Any]
OK: Reply = (200, {}, {"quoteId": "quote_1"})


def problem(status: int, code: str, **headers: str) -> Reply:
    body = {"type": "about", "title": "Refused", "status": status, "detail": "Why.", "code": code, "requestId": "req-1"}
    return status, headers, body


class FakeServer:
    """Answers requests other than those for a token with `reply`, which gets the request and its number."""

    def __init__(self, reply: Callable[[Any, int], Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.token_requests = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                if self.path == "/partner-api/Auth/token":
                    server.token_requests += 1
                    token = f"token-{server.token_requests}"
                    return self.respond(200, {}, {"access_token": token, "expires_in": 600})
                body = json.loads(raw) if raw else None
                server.requests.append({"path": self.path, "headers": dict(self.headers.items()), "body": body})
                self.respond(*reply(server.requests[-1], len(server.requests)))

            do_POST = do_GET

            def respond(self, status: int, headers: dict[str, str], body: Any) -> None:
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(raw))}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def stop(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class ClientTest(unittest.TestCase):
    def connect(self, reply: Callable[[Any, int], Reply], **options: Any) -> tuple[HousebillClient, FakeServer]:
        server = FakeServer(reply)
        self.addCleanup(server.stop)
        self.pauses: list[float] = []
        return HousebillClient(server.url, "sb_1", "secret", pause=self.pauses.append, **options), server

    def test_one_token_serves_every_call(self) -> None:
        client, server = self.connect(lambda *_: OK)
        for _ in range(3):
            client.get_quote("quote_1")
        self.assertEqual(server.token_requests, 1)
        self.assertEqual({each["headers"]["Authorization"] for each in server.requests}, {"Bearer token-1"})

    def test_a_rejected_token_is_replaced_once(self) -> None:
        client, server = self.connect(lambda _, count: problem(401, "unauthenticated") if count == 1 else OK)
        client.create_quote({"addressUid": "address_1"})
        self.assertEqual(
            [each["headers"]["Authorization"] for each in server.requests], ["Bearer token-1", "Bearer token-2"]
        )
        self.assertEqual(len({each["headers"]["Idempotency-Key"] for each in server.requests}), 1)

    def test_temporary_failures_are_retried_with_the_same_key(self) -> None:
        for failure in (
            problem(429, "rate_limited"),
            problem(500, "internal_error"),
            problem(409, "idempotency_in_flight"),
            (502, {}, b"<h1>Bad gateway</h1>"),
        ):
            client, server = self.connect(lambda _, count: failure if count < 4 else OK)
            self.assertEqual(client.create_quote({"addressUid": "address_1"}), {"quoteId": "quote_1"})
            self.assertEqual(len({each["headers"]["Idempotency-Key"] for each in server.requests}), 1)
            self.assertEqual(len(self.pauses), 3)
            self.assertTrue(all(0 <= pause <= 0.5 * 2**index for index, pause in enumerate(self.pauses)))

    def test_retry_after_is_the_shortest_pause_unless_it_is_too_long(self) -> None:
        client, _ = self.connect(lambda _, count: problem(429, "rate_limited", Retry_After="7") if count == 1 else OK)
        client.get_quote("quote_1")
        self.assertTrue(7 <= self.pauses[0] <= 7.5, self.pauses)
        client, server = self.connect(lambda *_: problem(503, "service_unavailable", Retry_After="300"))
        with self.assertRaises(ApiError) as caught:
            client.get_quote("quote_1")
        self.assertEqual((caught.exception.retry_after_seconds, len(server.requests)), (300, 1))

    def test_what_is_refused_for_good_is_not_retried(self) -> None:
        client, server = self.connect(lambda *_: problem(422, "address_not_found"))
        with self.assertRaises(ApiError) as caught:
            client.create_quote({"addressUid": "address_1"}, idempotency_key="order-42")
        error = caught.exception
        self.assertEqual((error.code, error.status, error.request_id), ("address_not_found", 422, "req-1"))
        self.assertEqual(str(error), "createQuote: address_not_found: Why. (req-1)")
        self.assertEqual([each["headers"]["Idempotency-Key"] for each in server.requests], ["order-42"])

    def test_wrong_credentials_and_lost_connections_have_errors_of_their_own(self) -> None:
        refusal = {"error": "invalid_client", "error_description": "Check the secret."}
        client, _ = self.connect(lambda *_: (401, {}, refusal))
        with self.assertRaises(TokenRefusedError):
            client.revoke_token({"clientId": "sb_1", "clientSecret": "wrong", "token": "t"})
        nobody = HousebillClient("http://127.0.0.1:1", "sb_1", "secret", retry=RetryPolicy(max_retries=0))
        with self.assertRaises(ConnectionFailedError):
            nobody.get_quote("quote_1")
        with self.assertRaises(ValueError):
            client.get_quote("..")

    def test_iterating_reads_every_page_and_ends_at_an_empty_one(self) -> None:
        pages = [
            {"data": [1, 2], "nextCursor": "two"},
            {"data": [3], "nextCursor": "three"},
            {"data": [], "nextCursor": "four"},
        ]
        client, server = self.connect(lambda _, count: (200, {}, pages[count - 1]))
        self.assertEqual(list(client.iterate(client.list_quotes, status="completed")), [1, 2, 3])
        paths = [each["path"] for each in server.requests]
        self.assertEqual(paths[2], "/partner-api/Quotes?status=completed&cursor=three")


class VerifyWebhookTest(unittest.TestCase):
    SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
    BODY = b'{"test": 2432232314}'
    SENT = 1614265330
    HEADERS = {
        "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "Webhook-Timestamp": str(SENT),
        "Webhook-Signature": "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }

    def test_the_example_of_the_webhooks_guide_is_genuine(self) -> None:
        for secret in (self.SECRET, [self.OTHER, self.SECRET]):
            self.assertEqual(
                verify_webhook(self.BODY, self.HEADERS, secret, now=self.SENT + 299), {"test": 2432232314}
            )

    def test_anything_else_is_refused(self) -> None:
        cases: list[tuple[bytes, dict[str, str], str, float]] = [
            (self.BODY + b" ", self.HEADERS, self.SECRET, self.SENT),
            (self.BODY, self.HEADERS, self.OTHER, self.SENT),
            (self.BODY, {**self.HEADERS, "Webhook-Id": "msg_2"}, self.SECRET, self.SENT),
            (self.BODY, {**self.HEADERS, "Webhook-Signature": "v2,x"}, self.SECRET, self.SENT),
            (self.BODY, {**self.HEADERS, "Webhook-Timestamp": "now"}, self.SECRET, self.SENT),
            (self.BODY, {}, self.SECRET, self.SENT),
            (self.BODY, self.HEADERS, self.SECRET, self.SENT + 301),
            (self.BODY, self.HEADERS, self.SECRET, self.SENT - 301),
        ]
        for body, headers, secret, now in cases:
            with self.assertRaises(InvalidWebhookError):
                verify_webhook(body, headers, secret, now=now)

    def test_a_secret_that_cannot_be_one_is_a_mistake_of_the_program(self) -> None:
        for secret in ("", "whsec_", "whsec_%", []):
            with self.assertRaises(ValueError):
                verify_webhook(self.BODY, self.HEADERS, secret, now=self.SENT)


if __name__ == "__main__":
    unittest.main()
