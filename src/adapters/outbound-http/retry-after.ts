import { parseRetryAfter } from '../../domain/webhooks/delivery/retry-schedule.ts'

/** Whatever an upstream wishes, nobody is told to stay away for longer. */
const longestWishSeconds = 3_600

/** The seconds a `Retry-After` asks for, as a number or a date (RFC 9110 section 10.2.3); undefined where it asks for nothing. */
export function readRetryAfter(value: unknown): number | undefined {
  const wish = typeof value === 'string' ? parseRetryAfter(value, new Date()) : undefined
  return wish === undefined ? undefined : Math.min(Math.ceil(wish), longestWishSeconds)
}
