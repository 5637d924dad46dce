/**
 * The number of days for which events and deliveries can be read and redelivered
 * (docs/webhooks.md#how-long-events-are-kept).
 */
export const keptDays = 30

/** Returns the earliest time from which payloads are still kept. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 86_400_000)
}
