import { AsyncLocalStorage } from 'node:async_hooks'

/** One transaction, as everything that is started inside it sees it. */
interface TransactionMark {
  isOpen: boolean
}

const current = new AsyncLocalStorage<TransactionMark>()

/** Runs a transaction's work so that everything it starts, until the work has ended, counts as inside the transaction. */
export async function markTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  const mark = { isOpen: true }
  try {
    return await current.run(mark, work)
  } finally {
    mark.isOpen = false
  }
}

/**
 * To be called by everything that asks an outside system, before it does: `system` names it for the message. Throws an
 * Error inside an open transaction, in production too: a system that hangs would hold locks and a connection for as long
 * as it likes, and a rolled back transaction would not undo what it was told.
 */
export function refuseInsideTransaction(system: string): void {
  if (current.getStore()?.isOpen !== true) return
  throw new Error(`${system} was called inside a database transaction: call it first, then open the transaction`)
}
