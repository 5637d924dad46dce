/** Rows that hold what a key made, and how to make it again with the newest key. */
export interface Rewriting {
  /** What is rewritten, for the progress. */
  column: string
  /** How many rows are left. */
  count(): Promise<number>
  /**
   * Rewrites the next rows after this id; undefined if there are none. A row that has changed since it was read is
   * found but not replaced.
   */
  rewriteAfter(id: string): Promise<{ found: number; replaced: number; last: string } | undefined>
}

/** How far a rewriting is. */
export interface RewriteProgress {
  done: number
  total: number
  column: string
}

const maxRounds = 5

/**
 * Rewrites in small batches while servers run, and can be stopped and started again at any time. Repeats until a round
 * finds nothing, because a server may use an earlier key for some seconds. Returns how many rows it rewrote, and how
 * many its last round found: 0 unless a server goes on using an earlier key. `pause` waits until that can have ended.
 */
export async function rewriteAll(
  list: () => Promise<readonly Rewriting[]>,
  onProgress: (progress: RewriteProgress) => void,
  pause: () => Promise<void>,
): Promise<{ replaced: number; left: number }> {
  let replaced = 0
  for (let round = 1; ; round += 1) {
    const rewritings = await list()
    let total = replaced
    for (const { count } of rewritings) total += await count()
    let left = 0
    for (const { column, rewriteAfter } of rewritings) {
      for (let batch = await rewriteAfter(''); batch !== undefined; batch = await rewriteAfter(batch.last)) {
        left += batch.found
        replaced += batch.replaced
        onProgress({ done: replaced, total: Math.max(total, replaced), column })
      }
    }
    if (round === maxRounds || (round > 1 && left === 0)) return { replaced, left }
    await pause()
  }
}
