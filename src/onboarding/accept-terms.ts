import { agreeToContract } from '../contracts/agree-to-contract.ts'
import type { Contract } from '../contracts/contract.ts'
import type { ContractDependencies } from '../contracts/contract-dependencies.ts'
import { type AcceptanceEvidence, findContract } from '../contracts/contracts.store.ts'
import { loadCustomerWithQuote, loadCustomerWithQuoteForUpdate } from '../contracts/load-quote-of-customer.ts'
import type { PreviewPolicy } from '../contracts/preview/prepare-agreement.ts'
import type { Caller } from '../partners/caller.ts'
import type { PaymentProcessor, SetupIntent } from '../payments/payment-processor.ts'
import { recordSetupIntent } from '../payments/setup-intents/record-setup-intent.ts'
import type { ResponseSource } from '../payments/setup-intents/setup-intent-report.ts'
import { listSetupIntents } from '../payments/setup-intents/setup-intents.store.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote, QuoteTenant } from '../quoting/quotes/quote.ts'
import { earlySupplyMustBeRequested, startLock, withTenant } from '../quoting/quotes/quote.ts'
import { requireOperation, requireProducts, statusAfterOperation } from '../quoting/quotes/quote-operations.ts'
import type { QuotePolicy } from '../quoting/quotes/quote-policy.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'
import { type Customer, hasCard } from '../quoting/tenants/customer.ts'
import { requireNotErased, requireNotRemoved } from '../quoting/tenants/load-customer.ts'

interface AcceptDependencies extends ContractDependencies {
  db: Database
  paymentProcessor: PaymentProcessor
  quotePolicy: QuotePolicy
  previewPolicy: PreviewPolicy
}

/** What a customer has accepted. The contract is as it is now. */
interface AcceptedTerms {
  customerId: Id<'tenant'>
  termsAcceptedAt: Date
  contract: Contract
}

/**
 * Spec: POST /Customers/{id}/accept-terms. The customer agrees to a contract, with its documents; when the last tenant
 * has accepted, the contracts of the household take effect together and the quote is completed. On an open quote, a
 * customer with a card locks it by accepting. If the customer replaces another tenant, that tenant's contract ends the
 * day before. Repeating the call returns the time of the first acceptance. Reads the setup intent
 * from the processor if the processor's notice has not arrived. `requireOf` may refuse the quote, once it is locked, by
 * throwing. Throws `payment_setup_incomplete`, `quote_expired`,
 * `supply_request_required`, `terms_changed`, `terms_not_shown`,
 * `customer_erased` and `customer_removed`; for a repeated call with another documentHash, `already_onboarded`.
 */
export async function acceptTerms(
  deps: AcceptDependencies,
  caller: Caller,
  input: {
    customerId: Id<'tenant'>
    documentHash?: string | undefined
    evidence: AcceptanceEvidence
    requireOf?: (quote: Quote) => void
  },
): Promise<AcceptedTerms> {
  const { db, cipher, quotePolicy } = deps
  const { customerId } = input
  const { now } = caller
  const pending = await readOpenIntent(deps, caller, customerId)
  return inTransaction(db, caller, async (tx) => {
    const { customer, quote: before } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
    if (customer.termsAcceptedAt !== null) return acceptedBefore(tx, customer, input.documentHash)
    requireCanAccept(before, customer, now)
    input.requireOf?.(before)
    let quote = before
    if (pending !== undefined) quote = await recordSetupIntent(tx, cipher, quote, { customerId, ...pending, now })
    const tenant = quote.tenants.find((each) => each.tenantId === customerId)
    if (tenant === undefined || !hasCard(tenant)) throw paymentIncomplete()
    requireProducts(quote)
    requireSupplyRequest(quote, customer, quotePolicy, now)
    quote = startLock(quote, quotePolicy, { now, termsVersion: deps.terms.version })
    const { documentHash, evidence } = input
    const contract = await agreeToContract(tx, deps, caller, { quote, customer, documentHash, evidence })
    // The household's quote does not change when somebody takes over a share.
    if (quote.takingOver === undefined) await saveQuote(tx, caller, before, afterAcceptance(quote, tenant, contract))
    return { customerId, termsAcceptedAt: now, contract }
  })
}

/**
 * Reads the open setup intent from the processor, outside any transaction. Returns undefined if the customer has
 * accepted already, or if the stored setup intent has succeeded.
 */
async function readOpenIntent(
  { db, cipher, paymentProcessor }: { db: Database; cipher: FieldCipher; paymentProcessor: PaymentProcessor },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ intent: SetupIntent; source: ResponseSource } | undefined> {
  const { customer, quote } = await loadCustomerWithQuote(db, cipher, caller, customerId)
  if (customer.termsAcceptedAt !== null) return undefined
  requireCanAccept(quote, customer, caller.now)
  const open = (await listSetupIntents(db, caller.partnerId, customerId)).find(
    (intent) => intent.status !== 'canceled' && !intent.cancelWanted,
  )
  if (open === undefined) throw paymentIncomplete()
  if (open.status === 'succeeded') return undefined
  const intent = await paymentProcessor.readSetupIntent(open.setupIntentId)
  return { intent, source: { by: 'response', revision: open.revision } }
}

function requireCanAccept(quote: Quote, customer: Customer, now: Date): void {
  requireNotErased(customer)
  requireNotRemoved(customer)
  requireOperation(quote, 'accept-terms', now)
}

function paymentIncomplete(): DomainError {
  return new DomainError(
    'payment_setup_incomplete',
    'The customer has no card yet. Create a setup intent with POST /Customers/{id}/create-setup-intent, let the customer enter a card with its clientSecret, then accept the terms.',
  )
}

function requireSupplyRequest(quote: Quote, customer: Customer, policy: QuotePolicy, now: Date): void {
  if (customer.earlySupplyRequested || !earlySupplyMustBeRequested(quote, policy, now)) return
  const later = quote.takingOver
    ? 'withdraw the replacement and create one from a later day'
    : 'create a quote with a later contractStartDate'
  throw new DomainError(
    'supply_request_required',
    `Supply would begin within the 14-day cancellation period, so the tenant must ask for it: send supplyDuringCancellation: true with finalise-personal-information. Or ${later}.`,
  )
}

/**
 * What the customer accepted before. Throws `already_onboarded` if that contract is over, or if the hash is of other
 * terms.
 */
async function acceptedBefore(
  tx: Tx,
  { partnerId, customerId, contractNumber, termsAcceptedAt }: Customer,
  documentHash: string | undefined,
): Promise<AcceptedTerms> {
  const contract = contractNumber === null ? undefined : await findContract(tx, partnerId, contractNumber)
  if (contract === undefined || termsAcceptedAt === null) throw new Error('an acceptance has no contract')
  if (contract.status === 'cancelled' || contract.status === 'ended') {
    throw new DomainError(
      'already_onboarded',
      "This customer's contract is over, and they cannot accept another on this quote. Create a new quote.",
    )
  }
  if (documentHash === undefined || contract.documentHash === documentHash)
    return { customerId, termsAcceptedAt, contract }
  throw new DomainError(
    'already_onboarded',
    'This customer has already accepted other terms. Read them with GET /Customers/{id}/contracts.',
  )
}

/** The quote once this tenant has accepted. If the contract is in force, the tenant was the last: it is completed. */
function afterAcceptance(quote: Quote, tenant: QuoteTenant, { status }: Contract): Quote {
  const accepted = { ...withTenant(quote, { ...tenant, status: 'OnboardingComplete' }), pricesUpdated: false }
  if (status !== 'in_force') return accepted
  return { ...accepted, ...statusAfterOperation(accepted, 'complete'), lockedUntil: null }
}
