const jitter = 0.2

/**
 * Milliseconds to wait after the failed attempt with this number (1 for the first); undefined if all attempts are used
 * up. There is one more attempt than the schedule has steps. Each step varies by ±20 %, so that deliveries that failed
 * together are not retried together. `retryAfterSeconds`, requested by the receiver, can at most double a step and
 * never shortens it. `random` is in [0, 1).
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
