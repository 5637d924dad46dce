import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { ChangeDependencies } from '../quotes/change-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import { addNewTenants } from './new-tenants.ts'
import type { TenantInput } from './personal-details.schema.ts'
import { duplicateTenantError } from './tenant-rules.ts'

/**
 * Spec: POST /Quotes/{id}/add-tenants. Adds tenants to a quote, after those it already has. The first tenant on a quote
 * is the lead tenant. Throws `too_many_tenants` and `duplicate_tenant`.
 */
export async function addTenants(
  deps: ChangeDependencies & { db: Database },
  caller: Caller,
  input: { quoteId: Id<'quote'>; tenants: readonly TenantInput[] },
): Promise<Quote> {
  try {
    return await inTransaction(deps.db, caller, (tx) =>
      addNewTenants(tx, deps, caller, { ...input, isComplete: false }),
    )
  } catch (error) {
    if (violatedConstraint(error) === 'one_tenant_per_email') throw duplicateTenantError([])
    throw error
  }
}
