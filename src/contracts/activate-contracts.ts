import { recordContractChange } from '../events/operator-feeds/record-contract-change.ts'
import { recordEvents } from '../events/record-event.ts'
import type { Caller } from '../partners/caller.ts'
import type { Tx } from '../platform/db/database.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { listContractsOfQuote, updateContracts } from './contracts.store.ts'

/**
 * Puts all of a household's agreed contracts in force together, because its last tenant has accepted. The caller holds
 * the quote's lock.
 */
export async function activateContracts(tx: Tx, { now, partnerId }: Caller, quote: Quote): Promise<void> {
  const { quoteId } = quote
  const agreed = await listContractsOfQuote(tx, quote, 'agreed')
  if (agreed.length === 0) return
  const contractNumbers = agreed.map(({ contractNumber }) => contractNumber)
  const change = 'in_force'
  await recordContractChange(tx, { partnerId, contractNumbers, change }, (recorded) =>
    updateContracts(tx, recorded, partnerId, contractNumbers, { status: change, now, effectiveAt: now }),
  )
  await recordEvents(
    tx,
    quote,
    agreed.map(({ customerId, contractNumber }) => ({
      type: 'customer.contract.changed',
      data: {
        customerId,
        quoteId,
        contractNumber,
        previousStatus: 'agreed',
        status: 'in_force',
        reason: null,
      },
    })),
  )
}
