/** The number of days for which events and deliveries can be read and redelivered (docs/webhooks.md#how-long-we-keep-it). */
export const keptDays = 30

/** Payloads from before this moment are no longer kept. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 86_400_000)
}
