import type { Caller } from '../../partners/caller.ts'
import { listFirstPayments } from '../../payments/ledger/payment-entries.store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { serviceNames, serviceRow } from '../../quoting/packages/services.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { startConfirming } from '../contracts.store.ts'
import { queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'

/**
 * Begins the confirmation of each contract of the quote that takes effect at this moment: either the tenants are sent
 * one, or their partner is to send it and report that (`confirmation-sent`). The plan of payments is stored already,
 * and the caller holds the quote's row lock.
 */
export async function confirmContracts(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Caller,
  quote: Pick<Quote, 'partnerId' | 'quoteId' | 'address' | 'sendEmails' | 'tenants' | 'takingOver' | 'meter'>,
): Promise<void> {
  const { partnerId, quoteId, tenants, takingOver, meter } = quote
  const of = { effectiveAt: caller.now, byDefault: deps.confirmsByDefault }
  const begun = await startConfirming(tx, { partnerId, quoteId }, of)
  const ours = begun.filter(({ confirmedBy }) => confirmedBy === 'operator')
  if (ours.length === 0) return
  const numbers = ours.map(({ contractNumber }) => contractNumber)
  const firstPayments = await listFirstPayments(tx, partnerId, numbers)
  const mails = ours.map(({ contractNumber, customerId, effectiveAt, startsOn, endsOn, price }) => {
    const tenant = tenants.find(({ tenantId }) => tenantId === customerId)
    if (tenant === undefined || effectiveAt === null)
      throw new Error('a contract took effect without a tenant or a time')
    const facts = {
      ...{ contractNumber, effectiveAt, startsOn, endsOn },
      services: serviceNames().filter((service) => price?.lines.some(({ type }) => type === service)),
      isShared: tenants.length > 1,
      isPrepaid:
        meter?.payment === 'prepayment' && price?.lines.some(({ type }) => serviceRow(type).metered !== null) === true,
      takesOver: takingOver !== undefined,
      firstPayment: firstPayments.get(contractNumber),
    }
    return { kind: 'contract_in_force', customerId, personal: tenant.personal, contractNumber, facts } as const
  })
  await queueMails(tx, deps, caller, quote, mails)
}
