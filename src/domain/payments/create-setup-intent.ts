import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import type { Customer } from '../customers/customer.ts'
import { loadCustomer, requireNotErased } from '../customers/load-customer.ts'
import { lacksBroadbandLine } from '../pricing/price-warning.ts'
import { loadAndLockQuoteOfCustomer, loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { requireOperation, statusAfterOperation } from '../quotes/quote-operations.ts'
import { saveQuote } from '../quotes/save-quote.ts'
import { changePaymentStatus } from './change-payment-status.ts'
import { createIntentAtProcessor } from './create-intent-at-processor.ts'
import type { PaymentProcessor, SetupIntent } from './payment-processor.ts'
import { requirePersonalInformation } from './personal-information-required.ts'
import { recordSetupIntent } from './record-setup-intent.ts'
import { insertSetupIntent, listSetupIntents } from './setup-intents.store.ts'

/** The total time limit for the calls that one operation makes to the processor, of which there are at most three. */
const processorWaitMs = 9_000

/**
 * Spec: POST /Customers/{id}/create-setup-intent. A customer has at most one open intent. Repeating the call returns the same intent,
 * even after a card is attached; after a cancellation, the call creates a new intent. The first intent of a quote makes the quote
 * active and locks it. Calls to the processor carry idempotency keys derived from our ids, so neither a crash nor a retry creates
 * a second customer or intent.
 */
export async function createSetupIntent(
  { db, cipher, paymentProcessor }: { db: Database; cipher: FieldCipher; paymentProcessor: PaymentProcessor },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; intent: SetupIntent }> {
  const seen = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  const customer = await loadCustomer(db, cipher, caller, customerId)
  requireReady(seen, customer, caller.now)

  const stored = await listSetupIntents(db, caller.partnerId, customerId)
  const open = stored.find((each) => each.status !== 'canceled')
  const wait = { until: AbortSignal.timeout(processorWaitMs) }
  const kept = open === undefined ? undefined : await paymentProcessor.readSetupIntent(open.setupIntentId, wait)
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
    await saveQuote(tx, caller, before, { ...quote, ...statusAfterOperation(quote, 'create-setup-intent') })
    return { customerId, intent }
  })
}

function storeIntent(tx: Tx, caller: Caller, customerId: Id<'tenant'>, intent: SetupIntent): Promise<boolean> {
  const { setupIntentId, processorCustomerId, status } = intent
  const { partnerId, now } = caller
  return insertSetupIntent(tx, { setupIntentId, customerId, partnerId, processorCustomerId, status, now })
}

function requireReady(quote: Quote, customer: Customer, now: Date): void {
  requireNotErased(customer)
  requireOperation(quote, 'create-setup-intent', now)
  requirePersonalInformation(customer)
  // A quote that was locked earlier can no longer get a line.
  if (quote.stage === 'open' && lacksBroadbandLine(quote)) {
    throw new DomainError(
      'broadband_products_required',
      'The broadband package is selected without a main line, and add-ons need one. Add a line with POST /Quotes/{id}/add-broadband-products, or remove the package with update-packages.',
    )
  }
}
