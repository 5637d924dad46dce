import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import type { Quote, QuoteTenant } from '../quotes/quote.ts'
import { insertCustomers, lastJoiningNumber, type NewCustomer } from './customers.store.ts'
import { detailsOfNew, type TenantInput } from './personal-details.schema.ts'
import { duplicateTenantError, requireTenantsCanBeAdded } from './tenant-rules.ts'

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
    return await inTransaction(deps.db, caller, (tx) => {
      const target = { quoteId: input.quoteId, operation: 'add-tenants', reason: 'tenants_changed' } as const
      return changeQuote(tx, deps, caller, target, async (quote) => {
        requireTenantsCanBeAdded(quote.tenants, input.tenants)
        const firstNumber = (await lastJoiningNumber(tx, quote)) + 1
        const added = input.tenants.map((tenant, index) => newCustomer(tenant, firstNumber + index))
        await insertCustomers(tx, deps.cipher, quote, added, caller.now)
        return { ...quote, tenants: [...quote.tenants, ...added.map(asTenant)] }
      })
    })
  } catch (error) {
    if (violatedConstraint(error) === 'one_tenant_per_email') throw duplicateTenantError([])
    throw error
  }
}

function newCustomer(tenant: TenantInput, joiningNumber: number): NewCustomer {
  return {
    customerId: newId('tenant'),
    joiningNumber,
    personal: detailsOfNew(tenant),
  }
}

function asTenant({ customerId, joiningNumber, personal }: NewCustomer): QuoteTenant {
  return {
    tenantId: customerId,
    joiningNumber,
    personal,
    earlySupplyRequested: false,
    status: 'active',
    paymentStatus: 'not_started',
    contractStatus: null,
    replaces: null,
    joinsOn: null,
    leavesOn: null,
  }
}
