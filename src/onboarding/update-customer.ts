import { contractsAsOf } from '../contracts/contract.ts'
import { listContracts } from '../contracts/contracts.store.ts'
import { loadCustomerWithQuoteForUpdate } from '../contracts/load-quote-of-customer.ts'
import type { TenantMailDependencies } from '../contracts/mails/queue-mails.ts'
import { tellOfChangedDetails } from '../contracts/mails/tell-of-changes.ts'
import { recordContractChange } from '../contracts/operator-feeds/record-contract-change.ts'
import type { Caller } from '../partners/caller.ts'
import { findCardInUse } from '../payments/setup-intents/setup-intents.store.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import { violatedConstraint } from '../platform/db/failures.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { checkEmails } from '../quoting/tenants/check-emails.ts'
import { type Customer, detailsChanged, type PersonalDetails } from '../quoting/tenants/customer.ts'
import { updatePersonalDetails } from '../quoting/tenants/customers.store.ts'
import { requireNotErased, requireNotRemoved } from '../quoting/tenants/load-customer.ts'
import { areInFeeds } from '../quoting/tenants/personal-details.schema.ts'
import type { PsrDetails } from '../quoting/tenants/psr.ts'
import { duplicateEmailError, requireOwnEmail } from '../quoting/tenants/tenant-rules.ts'
import type { CustomerView } from './get-customer.ts'

/** What to change. Absent members keep their value. */
export interface CustomerChange {
  /** Validated, and with the phone number in E.164 format. */
  personal: Partial<Omit<PersonalDetails, 'dateOfBirth'>>
  /** Replaces the Priority Services Register details; undefined keeps them. */
  psr: PsrDetails | undefined
}

/**
 * PATCH /Customers/{id} (not in the specification). Changes how a customer is reached, in every stage of the quote and
 * also after acceptance, and tells them. Contract documents that exist stay as they were agreed. Takes the quote's row
 * lock, so that a document created at the same moment shows either the old details or the new ones. Throws
 * `customer_erased` and `duplicate_tenant`.
 */
export async function updateCustomer(
  deps: TenantMailDependencies & { db: Database },
  caller: Caller,
  customerId: Id<'tenant'>,
  change: CustomerChange,
): Promise<CustomerView> {
  const { db, cipher } = deps
  return inTransaction(db, caller, async (tx) => {
    const { customer, quote } = await changeDetails(tx, deps, caller, customerId, change)
    const { partnerId } = caller
    const [contracts, card] = await Promise.all([
      listContracts(tx, partnerId, customerId),
      findCardInUse(tx, cipher, partnerId, customerId),
    ])
    return { customer, quote, card, contract: contractsAsOf(contracts, quote)[0] ?? null }
  })
}

/**
 * The step of `updateCustomer`. `requireOf` may refuse the customer, once locked, by throwing. Throws `customer_erased`,
 * `customer_removed` and `duplicate_tenant`.
 */
export async function changeDetails(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
  { personal: given, psr }: CustomerChange,
  requireOf: (customer: Customer) => void = () => undefined,
): Promise<{ customer: Customer; quote: Quote }> {
  const { cipher } = deps
  const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
  requireOf(customer)
  requireNotErased(customer)
  requireNotRemoved(customer)
  const personal = detailsChanged(customer.personal, given)
  const changed = { ...customer, personal: { ...customer.personal, ...personal } }
  requireOwnEmail(quote.tenants, customerId, changed.personal.email)
  const change = areInFeeds(personal) ? 'customer_changed' : psr === undefined ? 'not_shown' : 'needs_changed'
  try {
    await recordContractChange(tx, { partnerId: caller.partnerId, customerId, change }, (recorded) =>
      updatePersonalDetails(tx, recorded, cipher, { ...changed, psr }, caller.now),
    )
  } catch (error) {
    if (violatedConstraint(error) !== 'one_tenant_per_email') throw error
    throw duplicateEmailError()
  }
  if (personal.email !== undefined) await checkEmails(tx, cipher, caller, [{ ...changed, pointer: '/email' }])
  const details = { before: customer.personal, after: changed.personal }
  await tellOfChangedDetails(tx, deps, caller, quote, customerId, details)
  return { customer: changed, quote }
}
