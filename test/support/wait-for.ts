import { setTimeout as sleep } from 'node:timers/promises'

/** Only a failure ever waits this long: a busy machine may stand still for seconds. */
export const ceilingMs = 60_000
const pauseMs = 15

/**
 * Reads again and again until what was read `holds` (by default: until it is truthy), and returns it. After 60 s it throws an
 * error that says what was waited for and what was last seen. What `read` throws is passed on.
 */
export async function waitFor<Read>(
  what: string,
  read: () => Read | Promise<Read>,
  holds: (found: Read) => unknown = Boolean,
): Promise<Read> {
  const startedAt = performance.now()
  for (;;) {
    const found = await read()
    if (await holds(found)) return found
    if (performance.now() - startedAt > ceilingMs)
      throw new Error(`not within ${ceilingMs / 1_000} s: ${what}; last seen: ${shown(found)}`)
    await sleep(pauseMs)
  }
}

function shown(found: unknown): string {
  return (JSON.stringify(found) ?? String(found)).slice(0, 1_000)
}
