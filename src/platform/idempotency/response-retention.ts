/**
 * How long the response to a request with an `Idempotency-Key` is stored: 7 days
 * (docs/idempotency.md#what-a-key-promises).
 */
export const storedResponseSeconds = 7 * 86_400
