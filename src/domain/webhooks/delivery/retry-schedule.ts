const jitter = 0.2

/**
 * Milliseconds to wait after the failed attempt with this number (1 for the first); undefined if all attempts are used up. There is
 * one more attempt than the schedule has steps. Each step varies by ±20 %, so that deliveries that failed together are not retried
 * together. `retryAfterSeconds`, requested by the receiver, can at most double a step and never shortens it. `random` is in [0, 1).
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
  const requested = Math.min(retryAfterSeconds ?? 0, 2 * step)
  return Math.round(Math.max(spread, requested) * 1000)
}

/** Reads a `Retry-After` header (a number of seconds or an HTTP date) as seconds from now; undefined if it is neither. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // Accept only dates in the format of RFC 9110; Date.parse alone accepts almost anything.
  if (!/^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000)
}
