import type { EndReason } from '../../contracts/contract.ts'
import { recordEvent } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import { type Quote, quoteStatus } from './quote.ts'
import { updateQuote } from './quotes.store.ts'

/**
 * Stores a changed quote. If its status has changed, also records an event, with the reason if it moved back. The
 * caller holds the quote's row lock.
 */
export async function saveQuote(
  tx: Tx,
  caller: Pick<Caller, 'now' | 'partnerId'>,
  before: Quote,
  after: Quote,
  reason: EndReason | null = null,
): Promise<Quote> {
  const previousStatus = quoteStatus(before)
  const status = quoteStatus(after)
  const writes = [updateQuote(tx, after, caller.now)]
  if (status !== previousStatus) {
    writes.push(
      recordEvent(tx, caller, {
        type: 'quote.status.changed',
        data: { quoteId: after.quoteId, previousStatus, status, reason },
      }),
    )
  }
  await Promise.all(writes)
  return after
}
