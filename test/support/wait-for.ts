import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The maximum time to wait. It is long because a busy machine may pause for seconds, but only failing tests wait this
 * long.
 */
export const waitLimitMs = 60_000
/** The pauses grow, because most waits are short, and reading costs processor time that the awaited work needs. */
const firstPauseMs = 10
const longestPauseMs = 100

/**
 * Calls `read` repeatedly until `holds` accepts the result (by default, until it is truthy), and returns it. After 60 s
 * it throws an error with `what` and the last result. Errors from `read` are passed on.
 */
export async function waitFor<Read>(
  what: string,
  read: () => Read | Promise<Read>,
  holds: (found: Read) => unknown = Boolean,
): Promise<Read> {
  const startedAt = performance.now()
  let pauseMs = firstPauseMs
  for (;;) {
    const found = await read()
    if (await holds(found)) return found
    if (performance.now() - startedAt > waitLimitMs)
      throw new Error(`not within ${waitLimitMs / 1_000} s: ${what}; last seen: ${shown(found)}`)
    await sleep(pauseMs)
    pauseMs = Math.min(pauseMs * 1.3, longestPauseMs)
  }
}

function shown(found: unknown): string {
  return (JSON.stringify(found) ?? String(found)).slice(0, 1_000)
}
