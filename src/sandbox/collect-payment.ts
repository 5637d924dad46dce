import { findContract } from '../contracts/contracts.store.ts'
import { loadCustomerWithQuoteForUpdate, loadQuoteOfCustomerForUpdate } from '../contracts/load-quote-of-customer.ts'
import { loadScheduledPayments, type ScheduledPayment } from '../contracts/preview/scheduled-payments.ts'
import type { Caller } from '../partners/caller.ts'
import { claimEntry, listClaimedEntries, releaseClaim } from '../payments/collecting/collecting.store.ts'
import { isUncollected } from '../payments/ledger/payment-entry.ts'
import { countCollectedPayments, findReversiblePayment } from '../payments/ledger/payment-reports.store.ts'
import { recordPayment } from '../payments/ledger/record-payment.ts'
import type { PaymentNotice } from '../payments/payment-processor.ts'
import { deliversWebhooksAtOnce, type SandboxProcessor } from '../payments/sandbox-processor.ts'
import { listSetupIntents } from '../payments/setup-intents/setup-intents.store.ts'
import { insertAuditEntry } from '../platform/audit/audit-log.store.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { noPence, type Pence } from '../platform/kernel/money.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { Customer, PaymentStatus } from '../quoting/tenants/customer.ts'
import { loadCustomer } from '../quoting/tenants/load-customer.ts'
import { requireSimulator } from './sandbox-dependencies.ts'

interface CollectDependencies {
  db: Database
  cipher: FieldCipher
  bankHolidays: BankHolidays
  sandboxProcessor: SandboxProcessor | undefined
}

/** What happens: a collection that succeeds or fails, or the reversal of a payment that was collected. */
export const collectOutcomes = ['paid', 'failed', 'refunded', 'disputed'] as const
export type CollectOutcome = (typeof collectOutcomes)[number]

/**
 * POST /Sandbox/customers/{customerId}/collect: makes the simulated processor collect the first payment of the
 * customer's schedule that is not collected yet or, with the outcome `refunded` or `disputed`, reverse the payment that
 * was collected last. Applies the outcome immediately, unless the sandbox delays or drops notices. A payment is claimed
 * before it is collected, so that simultaneous calls collect different ones. Throws `contract_not_in_force` before the
 * customer's contract takes effect, `payment_setup_incomplete` if no card is attached and `validation_failed` if there
 * is nothing to collect or to reverse.
 */
export async function collectPayment(
  deps: CollectDependencies,
  caller: Caller,
  input: { customerId: Id<'tenant'>; outcome?: CollectOutcome },
): Promise<{ customerId: Id<'tenant'>; amount: Pence; paymentStatus: PaymentStatus }> {
  const { db, cipher } = deps
  const { customerId } = input
  const customer = await loadCustomer(db, cipher, caller, customerId)
  const processor = requireSimulator(deps.sandboxProcessor)
  const appliesAtOnce = deliversWebhooksAtOnce(await processor.readBehaviour(caller.partnerId))
  const key = caller.responseRecorder?.effectKey
  const earlier = key === undefined ? undefined : await processor.findEarlier(key)
  const notice = earlier ?? (await act({ ...deps, processor, key }, caller, customer, input.outcome))
  return inTransaction(db, caller, async (tx) => {
    let quote = await loadQuoteOfCustomerForUpdate(tx, cipher, caller, customerId)
    const subject = { subjectType: 'collection', subjectId: customerId, quoteId: quote.quoteId, customerId }
    await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
    // The notice itself arrives later and changes nothing.
    if (appliesAtOnce) quote = await recordPayment(tx, cipher, quote, customerId, notice, caller.now)
    const tenant = quote.tenants.find((each) => each.tenantId === customerId)
    if (tenant === undefined) throw new Error('the customer is not a tenant of their own quote')
    return { customerId, amount: notice.amount ?? noPence, paymentStatus: tenant.paymentStatus }
  })
}

interface ActDependencies extends CollectDependencies {
  processor: SandboxProcessor
  /** Makes the call to the processor idempotent. */
  key: string | undefined
}

function act(
  deps: ActDependencies,
  caller: Caller,
  customer: Customer,
  outcome: CollectOutcome | undefined,
): Promise<PaymentNotice> {
  if (outcome === 'refunded' || outcome === 'disputed') return reverseLast(deps, caller, customer, outcome)
  return collectNext(deps, caller, customer, outcome)
}

async function reverseLast(
  { db, processor, key }: ActDependencies,
  { partnerId }: Caller,
  { customerId }: Customer,
  outcome: 'refunded' | 'disputed',
): Promise<PaymentNotice> {
  const paymentId = await findReversiblePayment(db, partnerId, customerId)
  if (paymentId !== undefined) return processor.reverse({ paymentId, outcome, idempotencyKey: key })
  throw new DomainError(
    'validation_failed',
    'No payment of this customer is left that could be refunded or disputed. First collect one: send the outcome "paid".',
  )
}

/** Claims the next payment in the customer's schedule, and collects it from the card that is attached. */
async function collectNext(
  deps: ActDependencies,
  caller: Caller,
  customer: Customer,
  outcome: 'paid' | 'failed' | undefined,
): Promise<PaymentNotice> {
  const { db, processor, key } = deps
  const { partnerId } = caller
  const { claimed, ...about } = await inTransaction(db, {}, (tx) => claimNext(tx, deps, caller, customer))
  try {
    return await processor.collect({
      ...about,
      partnerId,
      idempotencyKey: key,
      ...(outcome === undefined ? {} : { outcome }),
    })
  } catch (error) {
    if (claimed !== undefined) await releaseClaim(db, partnerId, claimed)
    throw error
  }
}

/** Chooses the next payment, while holding the quote's row lock, and claims it if it is stored. */
async function claimNext(tx: Tx, { cipher, bankHolidays }: ActDependencies, caller: Caller, { customerId }: Customer) {
  const { partnerId, now } = caller
  const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
  const intents = await listSetupIntents(tx, partnerId, customerId)
  const { price, quoteId } = quote
  const [inUse] = intents
  if (price === null || inUse?.status !== 'succeeded') {
    throw new DomainError(
      'payment_setup_incomplete',
      'The customer has no card. First create a setup intent and confirm it with a card.',
    )
  }
  await requireContractInForce(tx, customer)
  const { payments } = await loadScheduledPayments(tx, { quote, price, customer, now, bankHolidays, cipher })
  const taken = await listClaimedEntries(tx, partnerId, customerId)
  const schedule = payments.filter(({ entryId }) => entryId === null || !taken.has(entryId))
  const { amount, entryId } = requireNext(schedule, await countCollectedPayments(tx, partnerId, customerId))
  const claimed = entryId === null ? undefined : await claimEntry(tx, partnerId, entryId)
  return { setupIntentId: inUse.setupIntentId, customerId, quoteId, amount, entryId, claimed }
}

/** Throws `contract_not_in_force` if the customer owes nothing because no contract of theirs has ever taken effect. */
async function requireContractInForce(tx: Tx, { partnerId, contractNumber }: Customer): Promise<void> {
  const contract = contractNumber === null ? undefined : await findContract(tx, partnerId, contractNumber)
  if (contract?.effectiveAt != null) return
  throw new DomainError(
    'contract_not_in_force',
    "The customer's contract has not taken effect, so nothing is owed. First every tenant accepts the terms.",
  )
}

/** A schedule that is not stored does not know what was collected: its payments are taken in order. */
function requireNext(schedule: readonly ScheduledPayment[], collected: number): ScheduledPayment {
  const isStored = schedule.some(({ entryId }) => entryId !== null)
  const next = isStored ? schedule.find(isUncollected) : schedule[collected]
  if (next === undefined)
    throw new DomainError(
      'validation_failed',
      "Every payment of the customer's schedule has been collected. Refund or dispute one, or use another customer.",
    )
  if (next.amount === 0)
    throw new DomainError('validation_failed', "The customer's next payment is zero, so there is nothing to collect.")
  return next
}
