import type { UpstreamCounters } from './counters.ts'

/** Logs one line for each minute in which calls to an upstream failed. */
export interface FailureReport {
  /**
   * Call this for every failed call, before the call is counted as ended. The first failure starts a minute; at its end, one line is
   * logged for all calls of that minute.
   */
  note(): void
  /** Call this at the end. Logs the failures that no log line has reported yet. */
  end(): void
}

interface FailureReportOptions {
  counters: UpstreamCounters
  warn: (fields: object, message: string) => void
  everyMs?: number
}

const minuteMs = 60_000

/** Creates the report for one upstream. It runs a timer only after a call has failed. */
export function createFailureReport({ counters, warn, everyMs = minuteMs }: FailureReportOptions): FailureReport {
  let minute: { timer: NodeJS.Timeout; before: UpstreamCounters } | undefined

  function end(): void {
    if (minute === undefined) return
    clearTimeout(minute.timer)
    warn(difference(minute.before, counters), `${counters.upstream}: calls failed in the last minute`)
    minute = undefined
  }

  return {
    note() {
      // The timer does not keep the process alive.
      minute ??= { timer: setTimeout(end, everyMs).unref(), before: structuredClone(counters) }
    },
    end,
  }
}

/**
 * The fields of the log line: only the kinds of failure that occurred, and the bucket of the slowest call (null if it is beyond the
 * last bucket).
 */
function difference(before: UpstreamCounters, now: UpstreamCounters): object {
  const kinds = Object.keys(now.failures) as (keyof UpstreamCounters['failures'])[]
  const calls = now.calls - before.calls
  const buckets = now.latency.map(({ upToMs, calls }, index) => ({
    upToMs,
    calls: calls - (before.latency[index]?.calls ?? 0),
  }))
  return {
    upstream: now.upstream,
    calls,
    tries: now.tries - before.tries,
    failures: Object.fromEntries(
      kinds.map((kind) => [kind, now.failures[kind] - before.failures[kind]]).filter(([, count]) => count !== 0),
    ),
    halfWithinMs: buckets.find((bucket) => bucket.calls * 2 >= calls)?.upToMs ?? null,
    allWithinMs: buckets.find((bucket) => bucket.calls >= calls)?.upToMs ?? null,
    breaker: now.breaker,
    breakerOpenings: now.breakerOpenings - before.breakerOpenings,
  }
}
