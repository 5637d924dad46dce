import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { changeQuote } from '../quotes/change-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { hasConfirmedEmail } from './customers.store.ts'
import { addNewTenants } from './new-tenants.ts'
import type { TenantInput } from './personal-details.schema.ts'
import type { RemovalDependencies } from './remove-tenants.ts'
import { duplicateTenantError } from './tenant-rules.ts'

/** Somebody who has confirmed an e-mail address of theirs: only they themselves or the partner can change what is known of them. */
export class TenantConfirmed extends Error {
  override readonly name = 'TenantConfirmed'
}

/** Whether `correctTenant` would throw `TenantConfirmed`. */
export function isTenantConfirmed(
  { db }: { db: Database },
  { partnerId }: Pick<Caller, 'partnerId'>,
  tenantId: Id<'tenant'>,
): Promise<boolean> {
  return hasConfirmedEmail(db, { partnerId, customerId: tenantId })
}

/**
 * Takes a tenant off an open quote, and puts the corrected one on it, if there is one: in one transaction, so that
 * nobody is lost. What the tenant has given is deleted, and their links end. For the lead tenant's page; partners use
 * remove-tenants and add-tenants. Throws `TenantConfirmed`, `duplicate_tenant`, and `not_found` for nobody of the quote.
 */
export async function correctTenant(
  deps: RemovalDependencies,
  caller: Caller,
  { quoteId, tenantId, corrected }: { quoteId: Id<'quote'>; tenantId: Id<'tenant'>; corrected: TenantInput | null },
): Promise<Quote> {
  try {
    return await inTransaction(deps.db, caller, async (tx) => {
      const target = { quoteId, operation: 'remove-tenants', reason: 'tenants_changed' } as const
      const left = await changeQuote(tx, deps, caller, target, async (quote) => {
        if (!quote.tenants.some((each) => each.tenantId === tenantId)) throw notFound('customer')
        if (await hasConfirmedEmail(tx, { partnerId: caller.partnerId, customerId: tenantId }, { lock: true }))
          throw new TenantConfirmed()
        await deps.removeTenantsOf(tx, caller.partnerId, [tenantId], caller.now)
        const tenants = quote.tenants.filter((each) => each.tenantId !== tenantId)
        return { ...quote, tenants, householdCompleteAt: null }
      })
      if (corrected === null) return left
      return addNewTenants(tx, deps, caller, { quoteId, tenants: [corrected], isComplete: false })
    })
  } catch (error) {
    if (violatedConstraint(error) === 'one_tenant_per_email') throw duplicateTenantError([])
    throw error
  }
}
