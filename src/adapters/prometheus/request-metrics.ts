import { Histogram, type Registry } from 'prom-client'

/** One completed request. */
export interface RequestOutcome {
  /** The operation's id, or the path's pattern if it has none. */
  operation: string
  status: number
  seconds: number
}

/** The upper limits of the buckets, in seconds. Replaying a stored response is the fastest call; a broadband check can take 10 seconds. */
const bucketsInSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Registers the request metrics; the returned function counts one request. */
export function registerRequestMetrics(registry: Registry): (outcome: RequestOutcome) => void {
  const durations = new Histogram({
    name: 'housebill_http_request_duration_seconds',
    help: 'Requests by operation and status class, and the time until the response was sent.',
    labelNames: ['operation', 'status'],
    buckets: bucketsInSeconds,
    registers: [registry],
  })
  return ({ operation, status, seconds }) =>
    durations.observe({ operation, status: `${Math.floor(status / 100)}xx` }, seconds)
}
