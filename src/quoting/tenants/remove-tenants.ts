import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { deleteCustomers } from './customers.store.ts'

/**
 * POST /Quotes/{id}/remove-tenants (not in the specification). Removes tenants from an open quote. If the lead tenant
 * is removed, the remaining tenant who joined first becomes the lead tenant. Throws `validation_failed` naming every id
 * that is not a tenant of the quote.
 */
export async function removeTenants(
  deps: ChangeDependencies & { db: Database },
  caller: Caller,
  input: { quoteId: Id<'quote'>; tenantIds: readonly string[] },
): Promise<Quote> {
  return inTransaction(deps.db, caller, (tx) => {
    const target = { quoteId: input.quoteId, operation: 'remove-tenants', reason: 'tenants_changed' } as const
    return changeQuote(tx, deps, caller, target, async (quote) => {
      requireTenantsOf(quote, input.tenantIds)
      await deleteCustomers(tx, caller.partnerId, quote.quoteId, input.tenantIds, caller.now)
      const tenants = quote.tenants.filter((tenant) => !input.tenantIds.includes(tenant.tenantId))
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
