/** How long the answer to a request with an `Idempotency-Key` is kept for its replay: 7 days (decisions: wire conventions). */
export const keptAnswerSeconds = 7 * 86_400
