const jitter = 0.2

/**
 * Milliseconds to wait after the failed attempt with this number (1 for the first); undefined when all attempts are used up: there is
 * one more than the schedule has steps. Each step varies by ±20 %, so that deliveries that failed together are not retried together.
 * `retryAfterSeconds`, requested by the receiver, can double a step at most and never shortens it. `random` is in [0, 1).
 */
export function retryDelayMs(
  schedule: readonly number[],
  attemptNumber: number,
  random: number,
  retryAfterSeconds?: number,
): number | undefined {
  const step = schedule[attemptNumber - 1]
  if (step === undefined) return undefined
  const spread = step * (1 - jitter + 2 * jitter * random)
  const wished = Math.min(retryAfterSeconds ?? 0, 2 * step)
  return Math.round(Math.max(spread, wished) * 1000)
}

/** Reads a `Retry-After` header, seconds or an HTTP date, as seconds from now; undefined if it is neither. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // RFC 9110 dates only: Date.parse alone accepts almost anything.
  if (!/^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000)
}
