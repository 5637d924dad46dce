/**
 * How long the response to a request with an `Idempotency-Key` is stored: 7 days (docs/api-behaviour.md#idempotency).
 */
export const storedResponseSeconds = 7 * 86_400
