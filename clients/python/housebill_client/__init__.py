"""A client of the Housebill partner API. It needs nothing but Python's standard library."""
from . import api_types
from .client import HousebillClient, RetryPolicy
from .errors import ApiError, ConnectionFailedError, HousebillError, TokenRefusedError
from .webhooks import InvalidWebhookError, verify_webhook

__all__ = [
    "ApiError",
    "ConnectionFailedError",
    "HousebillClient",
    "HousebillError",
    "InvalidWebhookError",
    "RetryPolicy",
    "TokenRefusedError",
    "api_types",
    "verify_webhook",
]
