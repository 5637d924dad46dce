import type { Caller } from '../partners/caller.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, laterOf, londonDate } from '../platform/kernel/dates.ts'
import { notFound } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import { lastDayOf } from '../quoting/packages/service-status.ts'
import type { QuotePrice } from '../quoting/pricing/price.ts'
import { asOf, type Quote, type QuoteTenant } from '../quoting/quotes/quote.ts'
import { findQuoteOfCustomer, findQuoteOfCustomerForUpdate } from '../quoting/quotes/quotes.store.ts'
import type { Customer } from '../quoting/tenants/customer.ts'
import { loadCustomer } from '../quoting/tenants/load-customer.ts'
import type { Contract } from './contract.ts'
import { listContracts } from './contracts.store.ts'
import { storeEndedLock } from './load-quote-for-update.ts'
import { joinerPrice } from './replacements/joiner-price.ts'

/**
 * The quote to which one of the caller's customers belongs, as of now and as the customer sees it. Throws `not_found`
 * for a customer's id that is malformed, unknown or another partner's.
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

/**
 * The quote to which one of the caller's customers belongs, as the customer sees it, with its row locked until the
 * transaction ends. If the time in which everybody had to accept is over, stores that first. Throws `not_found` for a
 * customer's id that is malformed, unknown or another partner's.
 */
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

/**
 * One of the caller's customers and their quote, both as of now. Throws `not_found` for a customer's id that is
 * malformed, unknown or another partner's.
 */
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

/**
 * One of the caller's customers and their quote, with the quote's row locked until the transaction ends. If the time in
 * which everybody had to accept is over, stores that first. Throws `not_found` for a customer's id that is malformed,
 * unknown or another partner's.
 */
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
  if (!hasAgreed)
    return asOfferedToJoiner(quote, customerId, contract, { earliest: tenant.joinsOn, today: londonDate(now) })
  const { startsOn, price } = contract
  return { ...quote, price, contractStartDate: startsOn, takingOver: { from: startsOn, isPossible: true } }
}

/**
 * The household's quote as it is for somebody who takes over the share of a contract and has not accepted yet: locked
 * at the agreed rates, from their first day.
 */
export function asOfferedToJoiner(
  quote: Quote,
  joinerId: Id<'tenant'>,
  leaving: Contract,
  { earliest, today }: { earliest: IsoDate; today: IsoDate },
): Quote & { price: QuotePrice } {
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
