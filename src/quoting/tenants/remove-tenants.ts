import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import type { Quote } from '../quotes/quote.ts'

/**
 * Removes tenants with all that is known of them; see `src/contracts/remove-tenants-of.ts`. Quoting comes before
 * payments and contracts, so it gets this as a dependency.
 */
export type RemoveTenantsOf = (
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
  now: Date,
) => Promise<void>

export interface RemovalDependencies extends ChangeDependencies {
  db: Database
  removeTenantsOf: RemoveTenantsOf
}

/**
 * POST /Quotes/{id}/remove-tenants (not in the specification). Removes tenants from an open quote. If the lead tenant
 * is removed, the remaining tenant who joined first becomes the lead tenant. Throws `validation_failed` naming every id
 * that is not a tenant of the quote.
 */
export async function removeTenants(
  deps: RemovalDependencies,
  caller: Caller,
  input: { quoteId: Id<'quote'>; tenantIds: readonly string[] },
): Promise<Quote> {
  return inTransaction(deps.db, caller, (tx) => {
    const target = { quoteId: input.quoteId, operation: 'remove-tenants', reason: 'tenants_changed' } as const
    return changeQuote(tx, deps, caller, target, async (quote) => {
      requireTenantsOf(quote, input.tenantIds)
      const isRemoved = ({ tenantId }: Quote['tenants'][number]) => input.tenantIds.includes(tenantId)
      const removed = quote.tenants.filter(isRemoved).map(({ tenantId }) => tenantId)
      await deps.removeTenantsOf(tx, caller.partnerId, removed, caller.now)
      const tenants = quote.tenants.filter((tenant) => !isRemoved(tenant))
      return { ...quote, tenants, householdCompleteAt: null }
    })
  })
}

const unknown = 'No tenant of this quote has this id. Use the tenantIds from GET /Quotes/{id}.'

function requireTenantsOf(quote: Quote, tenantIds: readonly string[]): void {
  const fields = tenantIds.flatMap((tenantId, index) =>
    quote.tenants.some((tenant) => tenant.tenantId === tenantId)
      ? []
      : [{ pointer: `/tenantIds/${index}`, code: 'not_allowed', detail: unknown }],
  )
  if (fields.length > 0) throw invalidFields(fields)
}
