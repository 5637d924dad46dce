import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { londonDate } from '../../kernel/dates.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Pence } from '../../kernel/money.ts'
import type { BankHolidays } from '../../kernel/working-days.ts'
import { insertAuditEntry } from '../audit/audit-log.store.ts'
import type { Caller } from '../auth/caller.ts'
import type { PaymentStatus } from '../customers/customer.ts'
import { recordCollectionTime } from '../customers/customers.store.ts'
import { loadCustomer } from '../customers/load-customer.ts'
import { changePaymentStatus } from '../payments/change-payment-status.ts'
import { planForCustomer } from '../payments/plan/plan-for-customer.ts'
import { nextPaymentDate } from '../payments/plan/plan-payments.ts'
import { type Collection, deliversWebhooksAtOnce, type SandboxProcessor } from '../payments/sandbox-processor.ts'
import { listSetupIntents } from '../payments/setup-intents.store.ts'
import { loadAndLockQuoteOfCustomer, loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { requireSimulator } from './required-simulator.ts'

interface CollectDependencies {
  db: Database
  cipher: FieldCipher
  bankHolidays: BankHolidays
  sandboxProcessor: SandboxProcessor | undefined
}

/**
 * POST /Sandbox/customers/{customerId}/collect: makes the simulated processor collect the next payment in the customer's schedule.
 * Applies the outcome immediately, unless the sandbox delays or drops notices. Throws `payment_setup_incomplete` if no card is
 * attached and `validation_failed` if there is nothing to pay.
 */
export async function collectPayment(
  deps: CollectDependencies,
  caller: Caller,
  input: { customerId: Id<'tenant'>; outcome?: 'paid' | 'failed' },
): Promise<{ customerId: Id<'tenant'>; amount: Pence; paymentStatus: PaymentStatus }> {
  const { db, cipher } = deps
  const { customerId, outcome } = input
  const { quoteId, amount, setupIntentId } = await findNextPayment(deps, caller, customerId)
  const processor = requireSimulator(deps.sandboxProcessor)
  const appliesAtOnce = deliversWebhooksAtOnce(await processor.readBehaviour(caller.partnerId))
  const collection = await processor.collect({
    setupIntentId,
    customerId,
    quoteId,
    partnerId: caller.partnerId,
    amount,
    idempotencyKey: caller.responseRecorder?.effectKey,
    ...(outcome === undefined ? {} : { outcome }),
  })
  return inTransaction(db, caller, async (tx) => {
    const subject = { subjectType: 'collection', subjectId: customerId, quoteId, customerId }
    await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
    let quote = await loadAndLockQuoteOfCustomer(tx, cipher, caller, customerId)
    if (appliesAtOnce) quote = await recordCollection(tx, quote, customerId, collection, caller.now)
    const tenant = quote.tenants.find((each) => each.tenantId === customerId)
    if (tenant === undefined) throw new Error('the customer is not a tenant of their own quote')
    return { customerId, amount, paymentStatus: tenant.paymentStatus }
  })
}

/** Finds the next amount in the customer's schedule, and the setup intent through which the card was attached. */
async function findNextPayment(
  { db, cipher, bankHolidays }: CollectDependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ quoteId: Id<'quote'>; amount: Pence; setupIntentId: string }> {
  const customer = await loadCustomer(db, cipher, caller, customerId)
  const quote = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  const intents = await listSetupIntents(db, caller.partnerId, customerId)
  const open = intents.find(({ status }) => status !== 'canceled')
  if (quote.price === null || open === undefined) {
    throw new DomainError(
      'payment_setup_incomplete',
      'The customer has no card. First create a setup intent and confirm it with a card.',
    )
  }
  const today = londonDate(caller.now)
  const payments = planForCustomer(quote, quote.price, customer, { today, bankHolidays })
  const next = nextPaymentDate(payments, today)
  const amount = payments.find(({ date }) => date === next)?.amount
  if (amount === undefined || amount === 0)
    throw new DomainError('validation_failed', "The customer's next payment is zero, so there is nothing to collect.")
  return { quoteId: quote.quoteId, amount, setupIntentId: open.setupIntentId }
}

/** Applies the collection in the same way as the processor's notice would. The notice itself, which arrives later, changes nothing. */
async function recordCollection(
  tx: Tx,
  quote: Quote,
  customerId: Id<'tenant'>,
  collection: Collection,
  now: Date,
): Promise<Quote> {
  const isLatest = await recordCollectionTime(tx, quote.partnerId, customerId, collection.occurredAt)
  return isLatest ? changePaymentStatus(tx, quote, customerId, collection.outcome, now) : quote
}
