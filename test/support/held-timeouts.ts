import { after, mock } from 'node:test'
import { waitFor } from './wait-for.ts'

/** Timeouts that expire only when the test says so. */
export interface HeldTimeouts {
  /** How many timeouts of this length have been started so far. */
  begun(lengthMs: number): number
  /** How many timeouts (of this length, if given) are running now. */
  running(lengthMs?: number): number
  /** Expires all running timeouts (of this length, if given). */
  pass(lengthMs?: number): void
  /** Until `work` settles, expires each timeout of this length as soon as it is set. Returns the result of `work`. */
  passUntil<Result>(lengthMs: number, work: Promise<Result>): Promise<Result>
}

/**
 * For the rest of the test or file, holds back every timer and every `AbortSignal.timeout` whose length `isHeld`
 * accepts, until the test lets it expire. Working upstreams then have all the time they need, and a call to a hanging
 * upstream times out exactly when the test says. Choose lengths that nothing else uses.
 */
export function holdTimeouts(
  isHeld: (ms: number) => boolean,
  t: { after(restore: () => void): void } = { after },
): HeldTimeouts {
  const begun = new Map<number, number>()
  const held = new Map<unknown, { lengthMs: number; end: () => void }>()
  const { setTimeout, clearTimeout } = globalThis
  const timeoutSignal = AbortSignal.timeout

  const patched = [
    mock.method(globalThis, 'setTimeout', ((callback: () => void, ms?: number, ...rest: []) => {
      if (ms === undefined || !isHeld(ms)) return setTimeout(callback, ms, ...rest)
      const timer = setTimeout(() => undefined, 2 ** 31 - 1)
      begun.set(ms, (begun.get(ms) ?? 0) + 1)
      held.set(timer, { lengthMs: ms, end: callback })
      return timer
    }) as typeof setTimeout),
    mock.method(globalThis, 'clearTimeout', ((timer?: NodeJS.Timeout) => {
      held.delete(timer)
      clearTimeout(timer)
    }) as typeof clearTimeout),
    mock.method(AbortSignal, 'timeout', (ms: number) => {
      if (!isHeld(ms)) return timeoutSignal.call(AbortSignal, ms)
      const controller = new AbortController()
      const end = () => controller.abort(new DOMException('Expired by the test', 'TimeoutError'))
      begun.set(ms, (begun.get(ms) ?? 0) + 1)
      held.set(controller, { lengthMs: ms, end })
      return controller.signal
    }),
  ]
  t.after(() => {
    pass()
    for (const { mock } of patched) mock.restore()
  })

  function pass(lengthMs?: number): void {
    for (const [key, limit] of [...held]) {
      if (lengthMs !== undefined && limit.lengthMs !== lengthMs) continue
      globalThis.clearTimeout(key as NodeJS.Timeout)
      limit.end()
    }
  }

  return {
    begun: (lengthMs) => begun.get(lengthMs) ?? 0,
    running: (lengthMs) =>
      [...held.values()].filter((limit) => lengthMs === undefined || limit.lengthMs === lengthMs).length,
    pass,
    async passUntil(lengthMs, work) {
      let isDone = false
      const ended = work.finally(() => {
        isDone = true
      })
      // If the work fails, the caller gets the error below. This only prevents an unhandled rejection until then.
      ended.catch(() => undefined)
      await waitFor('the work ends as its timeouts expire', () => {
        pass(lengthMs)
        return isDone
      })
      return ended
    },
  }
}
