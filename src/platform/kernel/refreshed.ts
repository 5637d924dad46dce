import type { Clock } from './clock.ts'

/** How old a value may be when it is used, unless the caller says otherwise. */
const defaultFreshForMs = 2_000

/**
 * Returns a function that gives a value at most two seconds old by default, so that every process follows a change
 * within that time. `read` receives the previous value and may return it. Concurrent callers share one read. A failed
 * read is thrown and repeated by the next caller.
 */
export function refreshed<Value>(
  clock: Clock,
  read: (previous?: Value) => Promise<Value>,
  freshForMs = defaultFreshForMs,
): () => Promise<Value> {
  let latest: { value: Promise<Value>; readAt: number } | undefined
  const readAfter = async (before?: Promise<Value>) => read(await before?.catch(() => undefined))
  return () => {
    const now = clock.now().getTime()
    if (latest !== undefined && Math.abs(now - latest.readAt) < freshForMs) return latest.value
    const before = latest?.value
    const reading = { value: readAfter(before), readAt: now }
    latest = reading
    reading.value.catch(() => {
      if (latest === reading) latest = undefined
    })
    return reading.value
  }
}

/**
 * Returns a function that reads a value for the metrics at most once in this time. It returns undefined while the value
 * cannot be read.
 */
export function watched<Value>(read: () => Promise<Value>, freshForMs: number): () => Promise<Value | undefined> {
  let known: { value: Promise<Value | undefined>; readAt: number } | undefined
  return () => {
    const now = performance.now()
    if (known === undefined || now - known.readAt > freshForMs)
      known = { value: read().catch(() => undefined), readAt: now }
    return known.value
  }
}
