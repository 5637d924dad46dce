import type { Caller } from '../../partners/caller.ts'
import type { Confirmer } from '../../partners/partner-settings.schema.ts'
import { listFirstPayments } from '../../payments/ledger/payment-entries.store.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { serviceNames } from '../../quoting/packages/services.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import { startConfirming } from '../contracts.store.ts'
import { envelopeLines } from '../facts-for-contract.ts'
import { queueTenantMails } from '../mails/tenant-mails.store.ts'
import type { OperatorFile } from '../operator-file.ts'
import { writeConfirmation } from './write-confirmation.ts'

/** Who confirms contracts, and what confirmations are made from. */
export interface ConfirmationDependencies {
  cipher: FieldCipher
  operator: OperatorFile
  realm: 'sandbox' | 'live'
  /** Who sends confirmations, unless the operator chose somebody else for the partner. */
  confirmsByDefault: Confirmer
}

/**
 * Begins the confirmation of each contract of the quote that takes effect at this moment: either the tenants are sent
 * one, or their partner is to send it and report that (`confirmation-sent`). The plan of payments is stored already,
 * and the caller holds the quote's lock.
 */
export async function confirmContracts(
  tx: Tx,
  { cipher, operator, realm, confirmsByDefault }: ConfirmationDependencies,
  caller: Caller,
  { partnerId, quoteId, address, tenants }: Pick<Quote, 'partnerId' | 'quoteId' | 'address' | 'tenants'>,
): Promise<void> {
  const of = { effectiveAt: caller.now, byDefault: confirmsByDefault }
  const begun = await startConfirming(tx, { partnerId, quoteId }, of)
  const ours = begun.filter(({ confirmedBy }) => confirmedBy === 'operator')
  if (ours.length === 0) return
  const numbers = ours.map(({ contractNumber }) => contractNumber)
  const firstPayments = await listFirstPayments(tx, partnerId, numbers)
  const mails = ours.map(({ contractNumber, customerId, effectiveAt, startsOn, endsOn, price }) => {
    const tenant = tenants.find(({ tenantId }) => tenantId === customerId)
    if (tenant === undefined || effectiveAt === null)
      throw new Error('a contract took effect without a tenant or a time')
    const content = writeConfirmation({
      tenantName: fullName(tenant.personal),
      ...{ contractNumber, effectiveAt, startsOn, endsOn, operator },
      addressLines: envelopeLines(address),
      services: serviceNames().filter((service) => price?.lines.some(({ type }) => type === service)),
      isShared: tenants.length > 1,
      firstPayment: firstPayments.get(contractNumber),
      environment: realm,
    })
    return { kind: 'contract_in_force', customerId, contractNumber, content } as const
  })
  await queueTenantMails(tx, cipher, { partnerId, now: caller.now }, mails)
}
