import { activateContracts } from '../contracts/activate-contracts.ts'
import { agreeToContract } from '../contracts/agree-to-contract.ts'
import { confirmContracts } from '../contracts/confirmation/confirm-contracts.ts'
import type { Contract } from '../contracts/contract.ts'
import type { ContractDependencies } from '../contracts/contract-dependencies.ts'
import { type AcceptanceEvidence, findContract } from '../contracts/contracts.store.ts'
import { loadAndLockQuoteOfCustomer, loadQuoteOfCustomer } from '../contracts/lock-quote.ts'
import { type PreviewPolicy, prepareAgreement, requirePreviewedTerms } from '../contracts/preview/prepare-agreement.ts'
import { endReplacedContract } from '../contracts/replacements/end-replaced-contract.ts'
import { recordEvent } from '../events/record-event.ts'
import type { Caller } from '../partners/caller.ts'
import { planEntries } from '../payments/ledger/plan-entries.ts'
import type { PaymentProcessor, SetupIntent } from '../payments/payment-processor.ts'
import { recordSetupIntent } from '../payments/setup-intents/record-setup-intent.ts'
import type { ResponseSource } from '../payments/setup-intents/setup-intent-report.ts'
import { listSetupIntents } from '../payments/setup-intents/setup-intents.store.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { requireProducts } from '../quoting/pricing/warnings/price-warning.ts'
import type { Quote, QuoteTenant } from '../quoting/quotes/quote.ts'
import { withTenant } from '../quoting/quotes/quote.ts'
import { requireOperation, statusAfterOperation } from '../quoting/quotes/quote-operations.ts'
import type { QuotePolicy } from '../quoting/quotes/quote-policy.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'
import { earlySupplyMustBeRequested, startLock } from '../quoting/quotes/start-lock.ts'
import type { Customer } from '../quoting/tenants/customer.ts'
import { recordAcceptance } from '../quoting/tenants/customers.store.ts'
import { loadCustomer, requireNotErased, requireNotRemoved } from '../quoting/tenants/load-customer.ts'

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
 * from the processor if the processor's notice has not arrived. Throws `payment_setup_incomplete`, `quote_expired`,
 * `supply_request_required`, `terms_changed`, `terms_not_shown`,
 * `customer_erased` and `customer_removed`; for a repeated call with another documentHash, `already_onboarded`.
 */
export async function acceptTerms(
  deps: AcceptDependencies,
  caller: Caller,
  input: { customerId: Id<'tenant'>; documentHash?: string | undefined; evidence: AcceptanceEvidence },
): Promise<AcceptedTerms> {
  const { db, cipher, quotePolicy } = deps
  const { customerId } = input
  const { now } = caller
  const pending = await readOpenIntent(deps, caller, customerId)
  return inTransaction(db, caller, async (tx) => {
    const before = await loadAndLockQuoteOfCustomer(tx, cipher, caller, customerId)
    const customer = await loadCustomer(tx, cipher, caller, customerId)
    if (customer.termsAcceptedAt !== null) {
      await requireSameTerms(tx, customer, input.documentHash)
      return acceptedTerms(tx, customer, customer)
    }
    requireCanAccept(before, customer, now)
    let quote = before
    if (pending !== undefined) quote = await recordSetupIntent(tx, cipher, quote, { customerId, ...pending, now })
    const tenant = quote.tenants.find((each) => each.tenantId === customerId)
    if (tenant === undefined || !hasCard(tenant)) throw paymentIncomplete()
    requireProducts(quote)
    requireSupplyRequest(quote, customer, quotePolicy, now)
    quote = startLock(quote, quotePolicy, { now, termsVersion: deps.terms.version })
    const prepared = await prepareAgreement(tx, deps, { quote, customer, now })
    await requirePreviewedTerms(tx, cipher, prepared, { documentHash: input.documentHash, policy: deps.previewPolicy })
    const contractNumber = await agreeToContract(tx, deps, caller, { prepared, evidence: input.evidence })
    await planEntries(tx, customer, { contractNumber, payments: prepared.plan, now })
    await recordAcceptance(tx, customer, { at: now, contractNumber })
    const { quoteId } = quote
    await recordEvent(tx, caller, {
      type: 'customer.status.changed',
      data: {
        customerId,
        quoteId,
        previousStatus: customer.status,
        status: 'OnboardingComplete',
        reason: null,
      },
    })
    if (tenant.replaces !== null) {
      const from = prepared.price.contractStartDate
      await endReplacedContract(tx, deps, caller, { leaverId: tenant.replaces, from })
    } else {
      const accepted = withTenant(quote, { ...tenant, status: 'OnboardingComplete' })
      await saveAfterAcceptance(tx, caller, before, { ...accepted, pricesUpdated: false })
    }
    await confirmContracts(tx, deps, caller, quote)
    return acceptedTerms(tx, customer, { termsAcceptedAt: now, contractNumber })
  })
}

async function acceptedTerms(
  tx: Tx,
  { partnerId, customerId }: Customer,
  { termsAcceptedAt, contractNumber }: Pick<Customer, 'termsAcceptedAt' | 'contractNumber'>,
): Promise<AcceptedTerms> {
  if (termsAcceptedAt === null || contractNumber === null) throw new Error('nothing was accepted')
  const contract = await findContract(tx, partnerId, contractNumber)
  if (contract === undefined) throw new Error('an acceptance has no contract')
  return { customerId, termsAcceptedAt, contract }
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
  const customer = await loadCustomer(db, cipher, caller, customerId)
  if (customer.termsAcceptedAt !== null) return undefined
  requireCanAccept(await loadQuoteOfCustomer(db, cipher, caller, customerId), customer, caller.now)
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

/** Whether a card is attached. That includes `failed`, because only a collection from an attached card can fail. */
function hasCard(tenant: QuoteTenant): boolean {
  return tenant.paymentStatus === 'ready' || tenant.paymentStatus === 'paid' || tenant.paymentStatus === 'failed'
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

/** Throws `already_onboarded` if the contract that the customer accepted is over, or if the hash is of other terms. */
async function requireSameTerms(tx: Tx, customer: Customer, documentHash: string | undefined): Promise<void> {
  if (customer.contractNumber === null) return
  const contract = await findContract(tx, customer.partnerId, customer.contractNumber)
  if (contract?.status === 'cancelled' || contract?.status === 'ended') {
    throw new DomainError(
      'already_onboarded',
      "This customer's contract is over, and they cannot accept another on this quote. Create a new quote.",
    )
  }
  if (documentHash === undefined || contract?.documentHash === documentHash) return
  throw new DomainError(
    'already_onboarded',
    'This customer has already accepted other terms. Read them with GET /Customers/{id}/contracts.',
  )
}

/** Stores the quote. If its last tenant has accepted, the contracts take effect and the quote is completed. */
async function saveAfterAcceptance(tx: Tx, caller: Caller, before: Quote, quote: Quote): Promise<void> {
  if (quote.tenants.every((each) => each.status === 'OnboardingComplete')) {
    await activateContracts(tx, caller, quote)
    await saveQuote(tx, caller, before, { ...quote, ...statusAfterOperation(quote, 'complete'), lockedUntil: null })
  } else await saveQuote(tx, caller, before, quote)
}
