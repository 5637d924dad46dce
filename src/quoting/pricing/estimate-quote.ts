import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { type DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import type { Pence } from '../../platform/kernel/money.ts'
import { maxTenants } from '../quote-limits.ts'
import { loadQuoteWithOverlaps } from '../quotes/load-quote.ts'
import { isExpired, type Quote } from '../quotes/quote.ts'
import { requireOperation } from '../quotes/quote-operations.ts'
import { priceFor } from '../quotes/reprice.ts'
import type { QuotingDependencies } from '../quoting-dependencies.ts'
import type { RateCardCatalogue } from '../rates/card-catalogue.ts'
import type { QuotePrice, TenantShare } from './price.ts'

interface EstimateDependencies extends Pick<QuotingDependencies, 'bankHolidays' | 'planForCustomer'> {
  db: Database
  cipher: FieldCipher
  cards: RateCardCatalogue
}

/**
 * GET /Quotes/{id}/estimate: what the quote would cost on its rate card and dates with this number of tenants;
 * undefined means its present number. The shares are in order, the lead tenant's first, but their tenant ids mean
 * nothing; `firstPayment` is what each would pay first if they agreed today. Stores nothing. Throws
 * `packages_required`, `quote_cancelled`, and `invalid_request` if there is no number of tenants.
 */
export async function estimateQuote(
  { db, cipher, cards, bankHolidays, planForCustomer }: EstimateDependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  tenants: number | undefined,
): Promise<Estimate> {
  const quote = await loadQuoteWithOverlaps(db, cipher, caller, quoteId)
  requireOperation(quote, 'estimate', caller.now)
  const people = tenants ?? quote.tenants.filter(({ replaces }) => replaces === null).length
  if (people === 0) throw numberRequired()
  if (quote.price === null) throw new Error('the quote has packages but no price')
  const { billingDay } = quote.price
  const card = await cards.load(db, quote.quotingToolVersionId)
  const tenantIds = Array.from({ length: people }, () => newId('tenant'))
  const price = priceFor(quote, { card, billingDay, tenantIds })
  if (price === null) throw new Error("the quote's rate card lacks its packages")
  const today = londonDate(caller.now)
  const shares = price.shares.map((share) => {
    const joiner = { customerId: share.tenantId, termsAcceptedAt: null }
    const [firstPayment] = planForCustomer(quote, price, joiner, { today, bankHolidays })
    if (firstPayment === undefined) throw new Error('a share has no payment')
    return { ...share, firstPayment }
  })
  return { quote, price, shares, isExpired: isExpired(quote, caller.now) }
}

interface Estimate {
  quote: Quote
  price: QuotePrice
  shares: (TenantShare & { firstPayment: { date: IsoDate; amount: Pence } })[]
  isExpired: boolean
}

function numberRequired(): DomainError {
  const detail = `The quote has no tenants yet. Say for how many you want an estimate, 1 to ${maxTenants}, such as ?tenants=3.`
  return invalidFields([{ pointer: '/query/tenants', code: 'required', detail }], 'invalid_request')
}
