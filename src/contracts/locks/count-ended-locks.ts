import type { CommitSignal, Tx } from '../../platform/db/database.ts'

const endedLock = 'ended-lock'

/** Notes that this transaction stores the end of a lock. It is counted once the transaction has committed. */
export function noteEndedLock(tx: Tx): void {
  tx.wakeAfterCommit(endedLock)
}

/** Returns a function that says how many ends of locks this process has stored from now on. */
export function countEndedLocks({ commits }: { commits: CommitSignal }): () => number {
  let count = 0
  commits.subscribe((noted) => {
    if (noted.has(endedLock)) count += 1
  })
  return () => count
}
