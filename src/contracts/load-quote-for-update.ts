import type { Caller } from '../partners/caller.ts'
import { changePaymentStatus } from '../payments/change-payment-status.ts'
import { markOpenIntentsForCancellation } from '../payments/setup-intents/setup-intents.store.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, laterOf, londonDate } from '../platform/kernel/dates.ts'
import { notFound } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import { lastDayOf } from '../quoting/packages/service-status.ts'
import { asOf, hasLapsed, type Quote, type QuoteTenant } from '../quoting/quotes/quote.ts'
import {
  findQuoteForUpdate,
  findQuoteOfCustomer,
  findQuoteOfCustomerForUpdate,
} from '../quoting/quotes/quotes.store.ts'
import { saveQuote } from '../quoting/quotes/save-quote.ts'
import type { Customer } from '../quoting/tenants/customer.ts'
import { loadCustomer } from '../quoting/tenants/load-customer.ts'
import type { Contract } from './contract.ts'
import { listContracts } from './contracts.store.ts'
import { joinerPrice } from './replacements/joiner-price.ts'
import { endAgreements } from './termination/end-agreements.ts'

/**
 * Like loadQuote, but locks the quote's row until the transaction ends. If the time in which everybody had to accept is
 * over, stores that first: what was agreed has lapsed.
 */
export async function loadQuoteForUpdate(tx: Tx, cipher: FieldCipher, caller: Caller, id: Id<'quote'>): Promise<Quote> {
  const quote = isId('quote', id) ? await findQuoteForUpdate(tx, cipher, caller.partnerId, id) : undefined
  if (quote === undefined) throw notFound('quote')
  return storeEndedLock(tx, caller, quote)
}

/**
 * The quote to which one of the caller's customers belongs, as the customer sees it. Throws `not_found` in the same
 * cases as loadQuote.
 */
export async function loadQuoteOfCustomer(
  db: Queryable,
  cipher: FieldCipher,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  id: Id<'tenant'>,
): Promise<Quote> {
  const quote = isId('tenant', id) ? await findQuoteOfCustomer(db, cipher, caller.partnerId, id) : undefined
  if (quote === undefined) throw notFound('customer')
  return asSeenBy(db, asOf(quote, caller.now), { customerId: id, now: caller.now })
}

/** Like loadQuoteOfCustomer, but locks the quote. If its lock has ended, stores that first. */
export async function loadQuoteOfCustomerForUpdate(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  id: Id<'tenant'>,
): Promise<Quote> {
  const quote = isId('tenant', id) ? await findQuoteOfCustomerForUpdate(tx, cipher, caller.partnerId, id) : undefined
  if (quote === undefined) throw notFound('customer')
  return asSeenBy(tx, await storeEndedLock(tx, caller, quote), { customerId: id, now: caller.now })
}

/** A customer and their quote, as the customer sees it. */
interface CustomerWithQuote {
  customer: Customer
  quote: Quote
}

/** One of the caller's customers with their quote. Throws `not_found` in the same cases as loadQuote. */
export async function loadCustomerWithQuote(
  db: Queryable,
  cipher: FieldCipher,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  id: Id<'tenant'>,
): Promise<CustomerWithQuote> {
  const [customer, quote] = await Promise.all([
    loadCustomer(db, cipher, caller, id),
    loadQuoteOfCustomer(db, cipher, caller, id),
  ])
  return { customer, quote }
}

/** Like loadCustomerWithQuote, but first locks the quote as loadQuoteOfCustomerForUpdate does. */
export async function loadCustomerWithQuoteForUpdate(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  id: Id<'tenant'>,
): Promise<CustomerWithQuote> {
  const quote = await loadQuoteOfCustomerForUpdate(tx, cipher, caller, id)
  return { customer: await loadCustomer(tx, cipher, caller, id), quote }
}

/**
 * Stores that the quote's lock has ended, if it has: the quote is open with expired prices, its contracts have lapsed,
 * and a job cancels the unfinished setup intents, whose customers are `not_started` again. Attached cards stay.
 * Records, for each customer with a contract, the contract's event and then the status; then the quote's status. The
 * caller holds the quote's row lock.
 */
export async function storeEndedLock(tx: Tx, owner: Pick<Caller, 'now' | 'partnerId'>, quote: Quote): Promise<Quote> {
  if (!hasLapsed(quote, owner.now)) return quote
  await endAgreements(tx, owner, quote, { status: 'lapsed', reason: 'lock_ended' })
  await markOpenIntentsForCancellation(tx, quote)
  const ended = asOf(quote, owner.now)
  for (const { tenantId, paymentStatus } of ended.tenants)
    await changePaymentStatus(tx, quote, tenantId, paymentStatus, owner.now)
  return saveQuote(tx, owner, quote, ended, 'lock_ended')
}

/**
 * The quote as one of its customers sees it. For a tenant who takes over a share, it begins on their first day: until
 * they have accepted, it is locked at the household's agreed rates; then it has the price of their contract. Everybody
 * else sees the quote as it is. The result is for reading: a quote with `takingOver` is never stored.
 */
async function asSeenBy(
  db: Queryable,
  quote: Quote,
  { customerId, now }: { customerId: Id<'tenant'>; now: Date },
): Promise<Quote> {
  const tenant = quote.tenants.find(({ tenantId }) => tenantId === customerId)
  if (tenant === undefined || tenant.replaces === null || tenant.joinsOn === null) return quote
  const hasAgreed = tenant.contractStatus !== null
  const [contract] = await listContracts(db, quote.partnerId, hasAgreed ? customerId : tenant.replaces)
  if (contract === undefined) throw new Error('a tenant replaces somebody without a contract')
  if (!hasAgreed) return beforeAcceptance(quote, tenant, contract, { earliest: tenant.joinsOn, today: londonDate(now) })
  const { startsOn, price } = contract
  return { ...quote, price, contractStartDate: startsOn, takingOver: { from: startsOn, isPossible: true } }
}

function beforeAcceptance(
  quote: Quote,
  { tenantId: joinerId }: QuoteTenant,
  leaving: Contract,
  { earliest, today }: { earliest: IsoDate; today: IsoDate },
): Quote {
  const { customerId: leaverId, status } = leaving
  const wanted = laterOf(earliest, addDays(today, 1))
  const from = earlierOf(wanted, leaving.endsOn)
  const leaverPrice = leaving.price ?? quote.price
  if (quote.price === null || leaverPrice === null) throw new Error('a contract in force has no price')
  const firstHolderId = firstHolderOf(quote.tenants, leaverId)
  const price = joinerPrice(quote.price, { joinerId, leaverId, firstHolderId, leaverPrice, from })
  const isPossible = status === 'in_force' && wanted < lastDayOf(leaving)
  return {
    ...quote,
    stage: 'active',
    lockedUntil: null,
    price,
    contractStartDate: from,
    takingOver: { from, isPossible },
  }
}

/** The tenant of the original household whose share came to this tenant. */
function firstHolderOf(tenants: readonly QuoteTenant[], tenantId: Id<'tenant'>): Id<'tenant'> {
  const replaced = tenants.find((each) => each.tenantId === tenantId)?.replaces ?? null
  return replaced === null ? tenantId : firstHolderOf(tenants, replaced)
}
