/** Everything that a job has to handle. */
interface Work<Due> {
  /** At most `batch` of it, in an order that does not change: what comes after `after`, or the first. */
  listAfter(after: Due | undefined): Promise<Due[]>
  handle(due: Due): Promise<void>
  batch: number
  isStopping(): boolean
}

/**
 * Handles everything that is due, each once and one after another. One that fails keeps none of the others waiting: the
 * first failure is thrown after all.
 */
export async function handleAll<Due>({ listAfter, handle, batch, isStopping }: Work<Due>): Promise<void> {
  const failures: unknown[] = []
  for (let after: Due | undefined; !isStopping(); ) {
    const found = await listAfter(after)
    for (const due of found) {
      if (isStopping()) break
      await handle(due).catch((error: unknown) => failures.push(error))
    }
    after = found.at(-1)
    if (found.length < batch) break
  }
  if (failures.length > 0) throw failures[0]
}
