// Limits of webhooks. Their sources are in docs/api-behaviour.md.

/** The maximum number of webhooks that a partner can have, including disabled ones but not deleted ones. */
export const maxWebhooks = 20

/**
 * How many of them can have the same URL, however it is written. Each sends every event, so many would flood a
 * receiver.
 */
export const maxWebhooksPerUrl = 5

/** A webhook is disabled after this many days in which every attempt failed (docs/webhooks.md#retries). */
export const maxFailingDays = 5
