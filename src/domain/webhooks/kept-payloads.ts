/** Events and their deliveries are readable, and can be sent again, for so long (decisions: webhooks). */
export const keptDays = 30

/** The oldest moment from which payloads are still there. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 86_400_000)
}
