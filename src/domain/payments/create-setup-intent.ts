import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import type { AgreedTerms } from '../contracts/terms/agreed-terms.ts'
import type { Customer } from '../customers/customer.ts'
import { loadCustomer, requireNotErased, requireNotRemoved } from '../customers/load-customer.ts'
import { requireProducts } from '../pricing/required-products.ts'
import { loadAndLockQuoteOfCustomer, loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import { startLock } from '../quotes/locks/start-lock.ts'
import type { Quote } from '../quotes/quote.ts'
import { requireOperation } from '../quotes/quote-operations.ts'
import type { QuotePolicy } from '../quotes/quote-policy.ts'
import { saveQuote } from '../quotes/save-quote.ts'
import { changePaymentStatus } from './change-payment-status.ts'
import { createIntentAtProcessor } from './create-intent-at-processor.ts'
import type { PaymentProcessor, SetupIntent, SharedDeadline } from './payment-processor.ts'
import { requirePersonalInformation } from './personal-information-required.ts'
import { recordSetupIntent } from './record-setup-intent.ts'
import { insertSetupIntent, listSetupIntents, type StoredSetupIntent } from './setup-intents.store.ts'

/** The total time limit for the calls that one operation makes to the processor, of which there are at most three. */
const processorWaitMs = 9_000

interface SetupDependencies {
  db: Database
  cipher: FieldCipher
  paymentProcessor: PaymentProcessor
  quotePolicy: QuotePolicy
  terms: AgreedTerms
}

/**
 * Spec: POST /Customers/{id}/create-setup-intent. A customer has at most one open intent. Repeating the call returns the same intent,
 * even after a card is attached; after a cancellation, the call creates a new intent. The first intent of a quote makes the quote
 * active and locks it. Calls to the processor carry idempotency keys derived from our ids, so neither a crash nor a retry creates
 * a second customer or intent.
 */
export async function createSetupIntent(
  { db, cipher, paymentProcessor, quotePolicy, terms }: SetupDependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; intent: SetupIntent }> {
  const seen = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  const customer = await loadCustomer(db, cipher, caller, customerId)
  requireReady(seen, customer, caller.now)

  const stored = await listSetupIntents(db, caller.partnerId, customerId)
  const open = stored.find((each) => each.status !== 'canceled')
  const wait = { until: AbortSignal.timeout(processorWaitMs) }
  const kept = open === undefined ? undefined : await readOrCancel(paymentProcessor, open, wait)
  const isCancelledThere = kept?.status === 'canceled'
  const cancelledSoFar = stored.filter((each) => each.status === 'canceled').length + (isCancelledThere ? 1 : 0)
  const intent =
    kept === undefined || isCancelledThere
      ? await createIntentAtProcessor({ db, paymentProcessor }, customer, cancelledSoFar + 1, wait)
      : kept

  const source = { by: 'response', revision: open?.revision ?? 0 } as const
  // A repeated creation returns the processor's first response, which is used only if the intent has not changed since.
  const sourceOfIntent = intent === kept ? source : ({ by: 'response', revision: 0 } as const)

  return inTransaction(db, caller, async (tx) => {
    let quote = await loadAndLockQuoteOfCustomer(tx, cipher, caller, customerId)
    const before = quote
    requireReady(quote, await loadCustomer(tx, cipher, caller, customerId), caller.now)
    if (isCancelledThere)
      quote = await recordSetupIntent(tx, quote, { customerId, intent: kept, source, now: caller.now })
    // A concurrent request may have stored the intent already, and the tenant may even have attached a card to it.
    const isNew = intent !== kept && (await storeIntent(tx, caller, customerId, intent))
    quote = isNew
      ? await changePaymentStatus(tx, quote, customerId, 'setup_started', caller.now)
      : await recordSetupIntent(tx, quote, { customerId, intent, source: sourceOfIntent, now: caller.now })
    const lock = { now: caller.now, termsVersion: terms.version }
    await saveQuote(tx, caller, before, { ...startLock(quote, quotePolicy, lock), pricesUpdated: false })
    return { customerId, intent }
  })
}

/** Reads the open intent. If the lock of the quote ended while it was unfinished, cancels it instead, because it must not be used again. */
function readOrCancel(
  processor: PaymentProcessor,
  open: StoredSetupIntent,
  wait: SharedDeadline,
): Promise<SetupIntent> {
  if (open.cancelWanted) return processor.cancelSetupIntent(open.setupIntentId)
  return processor.readSetupIntent(open.setupIntentId, wait)
}

function storeIntent(tx: Tx, caller: Caller, customerId: Id<'tenant'>, intent: SetupIntent): Promise<boolean> {
  const { setupIntentId, processorCustomerId, status } = intent
  const { partnerId, now } = caller
  return insertSetupIntent(tx, { setupIntentId, customerId, partnerId, processorCustomerId, status, now })
}

function requireReady(quote: Quote, customer: Customer, now: Date): void {
  requireNotErased(customer)
  requireNotRemoved(customer)
  requireOperation(quote, 'create-setup-intent', now)
  requirePersonalInformation(customer)
  requireProducts(quote)
}
