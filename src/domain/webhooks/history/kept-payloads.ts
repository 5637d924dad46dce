/** How long events and deliveries can be read and sent again (docs/webhooks.md#how-long-we-keep-it). */
export const keptDays = 30

/** The oldest moment from which payloads are still there. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 86_400_000)
}
