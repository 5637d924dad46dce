import { parseRetryAfter } from '../../domain/webhooks/delivery/retry-schedule.ts'

/** The longest Retry-After that we pass on. */
const maxRetryAfterSeconds = 3_600

/** The seconds in a `Retry-After` header, given as a number or a date (RFC 9110 section 10.2.3); undefined if the value is neither. */
export function readRetryAfter(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? parseRetryAfter(value, new Date()) : undefined
  return seconds === undefined ? undefined : Math.min(Math.ceil(seconds), maxRetryAfterSeconds)
}
