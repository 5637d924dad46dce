"""The errors of a call."""
from __future__ import annotations

from .api_types import ErrorCode, InvalidField, Problem, TokenError, TokenErrorCode


class HousebillError(Exception):
    """What every error of a call has in common."""

    def __init__(
        self, message: str, *, operation: str, status: int | None = None, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(f"{operation}: {message}")
        #: The operationId that was called.
        self.operation = operation
        #: The HTTP status; None if there was no response.
        self.status = status
        #: The response's Retry-After; None if it had none.
        self.retry_after_seconds = retry_after_seconds


class ApiError(HousebillError):
    """Housebill refused the call, and says why: see `code`, and the page at `type`."""

    def __init__(
        self, problem: Problem, *, operation: str, status: int, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(
            f"{problem['code']}: {problem['detail']} ({problem['requestId']})",
            operation=operation,
            status=status,
            retry_after_seconds=retry_after_seconds,
        )
        self.code: ErrorCode = problem["code"]
        self.title = problem["title"]
        #: What went wrong and how to fix it.
        self.detail = problem["detail"]
        #: A URL that opens the documentation of this error.
        self.type = problem["type"]
        #: Name this id when you ask the operator about the error.
        self.request_id = problem["requestId"]
        #: Every invalid field of the request.
        self.errors: list[InvalidField] = problem.get("errors", [])


class TokenRefusedError(HousebillError):
    """The server issued or revoked no token."""

    def __init__(
        self, refusal: TokenError, *, operation: str, status: int, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(
            f"{refusal['error']}: {refusal['error_description']}",
            operation=operation,
            status=status,
            retry_after_seconds=retry_after_seconds,
        )
        self.code: TokenErrorCode = refusal["error"]


class ConnectionFailedError(HousebillError):
    """There was no response, or one that is not Housebill's. A change may have been made or not."""
