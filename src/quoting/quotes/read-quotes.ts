import type { Caller } from '../../partners/caller.ts'
import type { Scope } from '../../partners/scopes.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import { DomainError, notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import { type OfferedProduct, offeredProducts } from '../broadband/availability/availability.ts'
import type { QuoteWithPackages } from '../packages/change-packages.ts'
import { offeredPackages, type RateCardCatalogue } from '../rates/card-catalogue.ts'
import { type CustomerSummary, listCustomersOfQuotes } from '../tenants/customer-list.store.ts'
import { asOf } from './quote.ts'
import { findQuoteWithCheck, type QuoteFilter, type QuoteSummary, listQuotes as selectQuotes } from './quotes.store.ts'

/**
 * Spec: GET /Quotes/{id}. Returns the quote with its tenants, every package offered for the property, and the broadband
 * products that can be added to the quote because a check found them; also its customers if they were asked for.
 */
export async function getQuote(
  services: { db: Database; cipher: FieldCipher; cards: RateCardCatalogue; readLog: ReadLog },
  caller: Caller,
  quoteId: Id<'quote'>,
  inclusion: Inclusion,
): Promise<QuoteWithPackages & { availableProducts: OfferedProduct[]; included: IncludedCustomers }> {
  const { db, cipher, cards } = services
  const found = isId('quote', quoteId) ? await findQuoteWithCheck(db, cipher, caller, quoteId) : undefined
  if (found === undefined) throw notFound('quote')
  const quote = asOf(found.quote, caller.now)
  const card = await cards.load(db, quote.quotingToolVersionId)
  const included = await includeCustomers(services, caller, [quoteId], inclusion)
  const availableProducts = offeredProducts(found.checkedProducts)
  return { quote, offered: offeredPackages(card, quote), availableProducts, included }
}

/** What a read of quotes returns besides the quotes. */
interface Inclusion {
  /** Whether `include=customers` was sent. */
  withCustomers: boolean
  /** The scopes of the token. */
  scopes: readonly Scope[]
}

/** The customers on each quote, by its id. Undefined if they were not asked for. */
export type IncludedCustomers = Map<Id<'quote'>, CustomerSummary[]> | undefined

/**
 * Reads the customers on these quotes in one statement, if they were asked for, and records in the audit log that each
 * was read. Throws `insufficient_scope` unless the token may read customers.
 */
async function includeCustomers(
  { db, cipher, readLog }: { db: Database; cipher: FieldCipher; readLog: ReadLog },
  caller: Caller,
  quoteIds: readonly Id<'quote'>[],
  { withCustomers, scopes }: Inclusion,
): Promise<IncludedCustomers> {
  if (!withCustomers) return undefined
  if (!scopes.includes('customers:read'))
    throw new DomainError(
      'insufficient_scope',
      'include=customers requires the scope customers:read, which the token does not have. Leave it out, or use credentials that have this scope.',
    )
  const included = await listCustomersOfQuotes(db, cipher, caller, quoteIds)
  const customerIds = [...included.values()].flatMap((customers) => customers.map(({ customerId }) => customerId))
  await Promise.all(customerIds.map((customerId) => readLog.record(db, { subjectType: 'customer', customerId })))
  return included
}

/**
 * GET /Quotes (not in the specification). Lists a page of the partner's quotes, newest first. Also returns the cursor
 * of the next page, or null if there is none, and the customers of the quotes if they were asked for.
 */
export async function listQuotes(
  services: { db: Database; cipher: FieldCipher; readLog: ReadLog },
  caller: Caller,
  filter: QuoteFilter,
  inclusion: Inclusion,
): Promise<{ quotes: QuoteSummary[]; nextBeforeQuoteId: string | null; included: IncludedCustomers }> {
  const { db, cipher } = services
  const found = await selectQuotes(db, cipher, caller.partnerId, { ...filter, limit: filter.limit + 1 })
  const quotes = found.slice(0, filter.limit)
  const hasMore = found.length > quotes.length
  const quoteIds = quotes.map(({ quoteId }) => quoteId)
  const included = await includeCustomers(services, caller, quoteIds, inclusion)
  return { quotes, nextBeforeQuoteId: hasMore ? (quotes.at(-1)?.quoteId ?? null) : null, included }
}
