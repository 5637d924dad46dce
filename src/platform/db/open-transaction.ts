import { AsyncLocalStorage } from 'node:async_hooks'

/** A mark carried by all work that is started inside a transaction. */
interface TransactionMark {
  isOpen: boolean
}

const current = new AsyncLocalStorage<TransactionMark>()

/** Runs a transaction's work. Until the work ends, everything it starts counts as being inside the transaction. */
export async function runMarkedAsTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  const mark = { isOpen: true }
  try {
    return await current.run(mark, work)
  } finally {
    mark.isOpen = false
  }
}

/**
 * Call this before calling an upstream; `system` names it in the message. Throws an Error inside an open transaction,
 * even in production: an upstream that hangs would make the transaction hold locks and a connection, and a rollback
 * could not undo the call.
 */
export function assertNoOpenTransaction(system: string): void {
  if (current.getStore()?.isOpen !== true) return
  throw new Error(`${system} was called inside a database transaction: call it first, then open the transaction`)
}
