import type { Queryable } from '../../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Quote, QuoteTenant } from '../../quoting/quotes/quote.ts'
import type { Contract } from '../contract.ts'
import { listContracts } from '../contracts.store.ts'
import { joinerPrice } from './joiner-price.ts'

/**
 * The quote as one of its customers sees it. For a tenant who takes over a share, it begins on their first day: until
 * they have accepted, it is locked at the household's agreed rates; then it has the price of their contract. Everybody
 * else sees the quote as it is. The result is for reading: a quote with `takingOver` is never stored.
 */
export async function asSeenBy(
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
