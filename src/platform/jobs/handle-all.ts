/** Everything that a job has to handle. */
interface Work<Due> {
  /** At most `batch` of it, in an order that does not change: what comes after `after`, or the first. */
  listAfter(after: Due | undefined): Promise<Due[]>
  batch: number
  isStopping(): boolean
}

/**
 * Handles everything that is due, each once and one after another. One that fails keeps none of the others waiting: the
 * first failure is thrown after all.
 */
export function handleAll<Due>({ handle, ...work }: Work<Due> & { handle(due: Due): Promise<void> }): Promise<void> {
  const start = async (due: Due) => void (await handle(due))
  return handleInParallel({ ...work, start, keyOf: () => '', parallel: 1 })
}

/**
 * The same for work that waits for somebody else. Each starts alone and in its order, and what `start` returns then runs
 * beside at most `parallel - 1` others. Of those with the same key, the next one starts once the one before has ended.
 * Nothing runs any more when this returns or throws.
 */
export async function handleInParallel<Due>({
  listAfter,
  start,
  keyOf,
  parallel,
  batch,
  isStopping,
}: Work<Due> & {
  start(due: Due): Promise<(() => Promise<void>) | undefined>
  keyOf(due: Due): string
  parallel: number
}): Promise<void> {
  const failures: unknown[] = []
  const keep = (error: unknown) => void failures.push(error)
  const running = new Map<string, Promise<void>>()
  const untilRoom = async (key?: string) => {
    while (running.size >= parallel || (key !== undefined && running.has(key))) await Promise.race(running.values())
  }
  try {
    for (let after: Due | undefined; ; ) {
      // What is leased by listing it must not wait for its turn.
      await untilRoom()
      if (isStopping()) break
      const found = await listAfter(after)
      for (const due of found) {
        const key = keyOf(due)
        await untilRoom(key)
        if (isStopping()) break
        const rest = await start(due).catch(keep)
        if (rest !== undefined)
          running.set(
            key,
            rest()
              .catch(keep)
              .finally(() => running.delete(key)),
          )
      }
      after = found.at(-1)
      if (found.length < batch) break
    }
  } finally {
    await Promise.all(running.values())
  }
  if (failures.length > 0) throw failures[0]
}
