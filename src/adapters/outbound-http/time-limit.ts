/** A running time limit. `end` stops it. */
export interface TimeLimit {
  signal: AbortSignal
  end(): void
}

/** A signal that aborts with `reason()` after this time, or with `outer`'s reason when `outer` aborts. */
export function startTimeLimit(milliseconds: number, reason: () => Error, outer?: AbortSignal): TimeLimit {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(reason()), milliseconds)
  return {
    signal: outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]),
    end: () => clearTimeout(timer),
  }
}

/**
 * Settles like `work`, or rejects with the signal's reason as soon as the signal aborts. The outcome of work that cannot be aborted at once
 * (connecting, waiting in a queue) is then ignored.
 */
export function rejectOnAbort<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
