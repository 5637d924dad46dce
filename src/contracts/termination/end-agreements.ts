import type { DomainEvent } from '../../events/event.ts'
import { recordEvents } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import { cancelUncollectedEntries } from '../../payments/ledger/payment-entries.store.ts'
import { recount } from '../../payments/ledger/recount.ts'
import type { Tx } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { clearAcceptance } from '../../quoting/tenants/customers.store.ts'
import type { Contract, ContractStatus, EndReason } from '../contract.ts'
import { listContractsOfQuote, updateContracts } from '../contracts.store.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'

interface AgreedQuote {
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
}

/**
 * Ends the contracts of a quote that are agreed but not in force, and moves their customers back to
 * `PersonalInfoComplete`. Their documents stay readable. Records the contract's event and then the customer's, one
 * customer after another. The caller holds the quote's row lock.
 */
export async function endAgreements(
  tx: Tx,
  { now }: Pick<Caller, 'now'>,
  quote: AgreedQuote,
  to: { status: Extract<ContractStatus, 'lapsed' | 'superseded'>; reason: EndReason },
): Promise<void> {
  const agreed = await listContractsOfQuote(tx, quote, 'agreed')
  if (agreed.length === 0) return
  const { partnerId } = quote
  const contractNumbers = agreed.map(({ contractNumber }) => contractNumber)
  const { status, reason: endReason } = to
  await recordContractChange(tx, { partnerId, contractNumbers, change: status }, (recorded) =>
    updateContracts(tx, recorded, partnerId, contractNumbers, { status, now, endedOn: londonDate(now), endReason }),
  )
  await clearAcceptance(
    tx,
    partnerId,
    agreed.map(({ customerId }) => customerId),
    now,
  )
  // Nothing is owed for a contract that never took effect: what was paid for it is paid back.
  for (const entryId of await cancelUncollectedEntries(tx, partnerId, contractNumbers))
    await recount(tx, partnerId, entryId, { now })
  await recordEvents(
    tx,
    quote,
    agreed.flatMap((contract) => eventsOf(contract, to)),
  )
}

function eventsOf(
  { customerId, quoteId, contractNumber }: Contract,
  { status, reason }: { status: ContractStatus; reason: EndReason },
): DomainEvent[] {
  const about = { customerId, quoteId }
  return [
    { type: 'customer.contract.changed', data: { ...about, contractNumber, previousStatus: 'agreed', status, reason } },
    {
      type: 'customer.status.changed',
      data: { ...about, previousStatus: 'OnboardingComplete', status: 'PersonalInfoComplete', reason },
    },
  ]
}
