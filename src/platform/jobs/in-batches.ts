/**
 * Runs what removes up to `batch` rows until it finds fewer, so that no transaction holds locks for long or returns many
 * rows. Returns how many it removed. Ends early once `signal` is aborted.
 */
export async function inBatches(
  { batch, signal }: { batch: number; signal: AbortSignal },
  remove: (limit: number) => Promise<number>,
): Promise<number> {
  let removed = 0
  for (let found = batch; found >= batch && !signal.aborted; removed += found) found = await remove(batch)
  return removed
}
