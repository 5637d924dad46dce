import { AsyncLocalStorage } from 'node:async_hooks'

/** Marks one transaction for everything started inside it. */
interface TransactionMark {
  isOpen: boolean
}

const current = new AsyncLocalStorage<TransactionMark>()

/** Runs a transaction's work. Until it ends, everything it starts counts as inside the transaction. */
export async function markTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  const mark = { isOpen: true }
  try {
    return await current.run(mark, work)
  } finally {
    mark.isOpen = false
  }
}

/**
 * Call this before calling an upstream; `system` names it in the message. Throws an Error inside an open transaction, in production
 * too: an upstream that hangs would hold locks and a connection, and a rollback could not undo the call.
 */
export function assertNoOpenTransaction(system: string): void {
  if (current.getStore()?.isOpen !== true) return
  throw new Error(`${system} was called inside a database transaction: call it first, then open the transaction`)
}
