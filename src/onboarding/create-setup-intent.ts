import {
  loadCustomerWithQuote,
  loadCustomerWithQuoteForUpdate,
  loadQuoteOfCustomerForUpdate,
} from '../contracts/load-quote-of-customer.ts'
import type { AgreedTerms } from '../contracts/terms/agreed-terms.ts'
import type { Caller } from '../partners/caller.ts'
import { changePaymentStatus } from '../payments/change-payment-status.ts'
import type { PaymentProcessor, SetupIntent, SharedDeadline } from '../payments/payment-processor.ts'
import { createIntentAtProcessor } from '../payments/setup-intents/create-intent-at-processor.ts'
import { recordSetupIntent } from '../payments/setup-intents/record-setup-intent.ts'
import {
  insertSetupIntent,
  listSetupIntents,
  type StoredSetupIntent,
} from '../payments/setup-intents/setup-intents.store.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { startLock } from '../quoting/quotes/quote.ts'
import { requireOperation, requireProducts } from '../quoting/quotes/quote-operations.ts'
import type { QuotePolicy } from '../quoting/quotes/quote-policy.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'
import type { Customer } from '../quoting/tenants/customer.ts'
import { requireNotErased, requireNotRemoved, requirePersonalInformation } from '../quoting/tenants/load-customer.ts'

/** The total time limit for the calls that one operation makes to the processor, of which there are at most three. */
const processorWaitMs = 9_000

interface Dependencies {
  db: Database
  cipher: FieldCipher
  paymentProcessor: PaymentProcessor
  quotePolicy: QuotePolicy
  terms: AgreedTerms
}

/**
 * Spec: POST /Customers/{id}/create-setup-intent. A customer has at most one open intent. Repeating the call returns
 * the same intent, even after a card is attached; after a cancellation, the call creates a new intent. The first intent
 * of a quote makes the quote active and locks it. Calls to the processor carry idempotency keys derived from our ids,
 * so neither a crash nor a retry creates a second customer or intent.
 *
 * With `replace`, a customer with a card gets an intent for another one, whatever the stage of the quote, which stays
 * as it is. The card in use and the payment status do not change until the other card is attached.
 *
 * `requireOf` may refuse the quote, once it is locked, by throwing.
 */
export async function createSetupIntent(
  deps: Dependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
  { replace = false, requireOf }: { replace?: boolean; requireOf?: (quote: Quote) => void } = {},
): Promise<{ customerId: Id<'tenant'>; intent: SetupIntent }> {
  const { db, cipher, paymentProcessor, quotePolicy, terms } = deps
  const seen = await loadCustomerWithQuote(db, cipher, caller, customerId)
  const wait = { until: AbortSignal.timeout(processorWaitMs) }
  if (replace) await recordUnreportedCard(deps, caller, customerId, wait)
  const stored = await listSetupIntents(db, caller.partnerId, customerId)
  const replacesCard = replace && stored[0]?.status === 'succeeded'
  const require = ({ customer, quote }: { customer: Customer; quote: Quote }) =>
    replacesCard ? requireStillHere(customer) : requireReady(quote, customer, caller.now)
  require(seen)

  const open = replacesCard ? stored.find(isOpen) : stored.find((each) => each.status !== 'canceled')
  const kept = open === undefined ? undefined : await readOrCancel(paymentProcessor, open, wait)
  const isCancelledThere = kept?.status === 'canceled'
  const intent =
    kept === undefined || isCancelledThere
      ? await createIntentAtProcessor({ db, paymentProcessor }, seen.customer, stored, wait)
      : kept

  const source = { by: 'response', revision: open?.revision ?? 0 } as const
  // A repeated creation returns the processor's first response, which is used only if the intent has not changed since.
  const sourceOfIntent = intent === kept ? source : ({ by: 'response', revision: 0 } as const)

  return inTransaction(db, caller, async (tx) => {
    const locked = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
    require(locked)
    requireOf?.(locked.quote)
    if (intent === undefined) throw new Error('the customer was erased or removed, and is not any more')
    const { now } = caller
    const before = locked.quote
    let quote = before
    if (isCancelledThere) quote = await recordSetupIntent(tx, cipher, quote, { customerId, intent: kept, source, now })
    // A concurrent request may have stored the intent already, and the tenant may even have attached a card to it.
    const isNew = intent !== kept && (await storeIntent(tx, caller, customerId, { intent, replacesCard }))
    if (!isNew) quote = await recordSetupIntent(tx, cipher, quote, { customerId, intent, source: sourceOfIntent, now })
    if (replacesCard) return { customerId, intent }
    if (isNew) quote = await changePaymentStatus(tx, quote, customerId, 'setup_started', now)
    const active = startLock(quote, quotePolicy, { now, termsVersion: terms.version })
    if (quote.takingOver === undefined) await saveQuote(tx, caller, before, { ...active, pricesUpdated: false })
    return { customerId, intent }
  })
}

/**
 * Reads the open intent. If the lock of the quote ended while it was unfinished, or its customer was deleted at the
 * processor, cancels it, because it must not or cannot be used again. One that has succeeded stays.
 */
async function readOrCancel(
  processor: PaymentProcessor,
  open: StoredSetupIntent,
  wait: SharedDeadline,
): Promise<SetupIntent> {
  if (open.cancelWanted) return processor.cancelSetupIntent(open.setupIntentId)
  const intent = await processor.readSetupIntent(open.setupIntentId, wait)
  return intent.isCustomerDeleted ? processor.cancelSetupIntent(open.setupIntentId) : intent
}

function isOpen({ status }: StoredSetupIntent): boolean {
  return status !== 'succeeded' && status !== 'canceled'
}

/**
 * Records the success of an open intent whose notice has not arrived, so that the intent is not offered for another
 * card.
 */
export async function recordUnreportedCard(
  { db, cipher, paymentProcessor }: Pick<Dependencies, 'db' | 'cipher' | 'paymentProcessor'>,
  caller: Caller,
  customerId: Id<'tenant'>,
  wait?: SharedDeadline,
): Promise<void> {
  const open = (await listSetupIntents(db, caller.partnerId, customerId)).find(isOpen)
  if (open === undefined) return
  const intent = await paymentProcessor.readSetupIntent(open.setupIntentId, wait)
  if (intent.status !== 'succeeded') return
  const source = { by: 'response', revision: open.revision } as const
  await inTransaction(db, {}, async (tx) => {
    const quote = await loadQuoteOfCustomerForUpdate(tx, cipher, caller, customerId)
    await recordSetupIntent(tx, cipher, quote, { customerId, intent, source, now: caller.now })
  })
}

function storeIntent(
  tx: Tx,
  { partnerId, now }: Caller,
  customerId: Id<'tenant'>,
  { intent, replacesCard }: { intent: SetupIntent; replacesCard: boolean },
): Promise<boolean> {
  const { setupIntentId, processorCustomerId, status } = intent
  return insertSetupIntent(tx, { setupIntentId, customerId, partnerId, processorCustomerId, status, replacesCard, now })
}

function requireStillHere(customer: Customer): void {
  requireNotErased(customer)
  requireNotRemoved(customer)
}

function requireReady(quote: Quote, customer: Customer, now: Date): void {
  requireNotErased(customer)
  requireNotRemoved(customer)
  requireOperation(quote, 'create-setup-intent', now)
  requirePersonalInformation(customer)
  requireProducts(quote)
}
