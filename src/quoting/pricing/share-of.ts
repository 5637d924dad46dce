import type { Id } from '../../platform/kernel/ids.ts'
import type { QuotePrice, TenantShare } from './price.ts'

/**
 * The tenant's share of a price. Throws if the price has no share for the tenant, which cannot happen for a stored
 * quote.
 */
export function shareOf(price: QuotePrice, tenantId: Id<'tenant'>): TenantShare {
  const share = price.shares.find((each) => each.tenantId === tenantId)
  if (share === undefined) throw new Error('a stored price has no share for one of its tenants')
  return share
}
