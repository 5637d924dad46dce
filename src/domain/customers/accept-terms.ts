import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { type ContractDocumentDependencies, createContractDocuments } from '../contracts/create-contract-documents.ts'
import { recordEvent } from '../events/record-event.ts'
import { withTenant } from '../payments/change-payment-status.ts'
import { planEntries } from '../payments/ledger/plan-entries.ts'
import type { PaymentProcessor, SetupIntent } from '../payments/payment-processor.ts'
import { planForCustomer } from '../payments/plan/plan-for-customer.ts'
import { recordSetupIntent } from '../payments/record-setup-intent.ts'
import type { ResponseSource } from '../payments/setup-intent-report.ts'
import { listSetupIntents } from '../payments/setup-intents.store.ts'
import { loadAndLockQuoteOfCustomer, loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote, QuoteTenant } from '../quotes/quote.ts'
import { requireOperation, statusAfterOperation } from '../quotes/quote-operations.ts'
import { saveQuote } from '../quotes/save-quote.ts'
import { type AcceptanceEvidence, recordAcceptance } from './customers.store.ts'
import { loadCustomer, requireNotErased } from './load-customer.ts'

/**
 * Spec: POST /Customers/{id}/accept-terms. Completes the customer's onboarding: renders and stores their documents, and completes
 * the quote when its last tenant has accepted. Repeating the call returns the time of the first acceptance. Reads the setup intent
 * from the processor if the processor's notice has not arrived. Throws `payment_setup_incomplete` and `customer_erased`.
 */
export async function acceptTerms(
  deps: ContractDocumentDependencies & { db: Database; paymentProcessor: PaymentProcessor },
  caller: Caller,
  input: { customerId: Id<'tenant'>; evidence: AcceptanceEvidence },
): Promise<{ customerId: Id<'tenant'>; termsAcceptedAt: Date }> {
  const { db, cipher } = deps
  const { customerId } = input
  const seen = await loadCustomer(db, cipher, caller, customerId)
  if (seen.termsAcceptedAt === null) requireNotErased(seen)
  const pending = seen.termsAcceptedAt === null ? await readOpenIntent(deps, caller, customerId) : undefined
  return inTransaction(db, caller, async (tx) => {
    const before = await loadAndLockQuoteOfCustomer(tx, cipher, caller, customerId)
    const customer = await loadCustomer(tx, cipher, caller, customerId)
    if (customer.termsAcceptedAt !== null) return { customerId, termsAcceptedAt: customer.termsAcceptedAt }
    requireNotErased(customer)
    requireOperation(before, 'accept-terms', caller.now)
    let quote = before
    if (pending !== undefined)
      quote = await recordSetupIntent(tx, cipher, quote, { customerId, ...pending, now: caller.now })
    const tenant = quote.tenants.find((each) => each.tenantId === customerId)
    if (tenant === undefined || !hasCard(tenant)) throw paymentIncomplete()
    if (quote.price === null) throw new Error('the active quote has no price')
    const acceptance = await createContractDocuments(tx, deps, {
      quote,
      price: quote.price,
      customer,
      acceptedAt: caller.now,
    })
    const plan = { today: londonDate(caller.now), bankHolidays: deps.bankHolidays }
    const payments = planForCustomer(quote, quote.price, customer, plan)
    await planEntries(tx, customer, { contractNumber: null, payments, now: caller.now })
    await recordAcceptance(tx, cipher, customer, { at: caller.now, acceptance, evidence: input.evidence })
    const { quoteId, reference } = quote
    await recordEvent(tx, caller, {
      type: 'customer.status.changed',
      data: { customerId, quoteId, reference, previousStatus: customer.status, status: 'OnboardingComplete' },
    })
    await completeWithLastTenant(tx, caller, before, withTenant(quote, { ...tenant, status: 'OnboardingComplete' }))
    return { customerId, termsAcceptedAt: caller.now }
  })
}

/**
 * Reads the open setup intent from the processor, outside any transaction. Returns undefined if the stored setup intent has already
 * succeeded.
 */
async function readOpenIntent(
  {
    db,
    cipher,
    paymentProcessor,
  }: { db: Database; cipher: ContractDocumentDependencies['cipher']; paymentProcessor: PaymentProcessor },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ intent: SetupIntent; source: ResponseSource } | undefined> {
  const quote = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  requireOperation(quote, 'accept-terms', caller.now)
  const open = (await listSetupIntents(db, caller.partnerId, customerId)).find((intent) => intent.status !== 'canceled')
  if (open === undefined) throw paymentIncomplete()
  if (open.status === 'succeeded') return undefined
  const intent = await paymentProcessor.readSetupIntent(open.setupIntentId)
  return { intent, source: { by: 'response', revision: open.revision } }
}

/** Whether a card is attached. That includes `failed`, because only a collection from an attached card can fail. */
function hasCard(tenant: QuoteTenant): boolean {
  return tenant.paymentStatus === 'ready' || tenant.paymentStatus === 'paid' || tenant.paymentStatus === 'failed'
}

function paymentIncomplete(): DomainError {
  return new DomainError(
    'payment_setup_incomplete',
    "The customer's setup intent has not succeeded. Create a setup intent, let the customer enter a card with its clientSecret, then accept the terms.",
  )
}

async function completeWithLastTenant(tx: Tx, caller: Caller, before: Quote, quote: Quote): Promise<void> {
  const everyoneDone = quote.tenants.every((each) => each.status === 'OnboardingComplete')
  if (everyoneDone) await saveQuote(tx, caller, before, { ...quote, ...statusAfterOperation(quote, 'complete') })
}
