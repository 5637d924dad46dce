import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { violatedConstraint } from '../../platform/db/failures.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import type { Quote, QuoteTenant } from '../quotes/quote.ts'
import { insertCustomers, type NewCustomer } from './customers.store.ts'
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
        const added = input.tenants.map(newCustomer)
        const numbers = await insertCustomers(tx, deps.cipher, quote, added, caller.now)
        return { ...quote, tenants: [...quote.tenants, ...added.map((customer) => asTenant(customer, numbers))] }
      })
    })
  } catch (error) {
    if (violatedConstraint(error) === 'one_tenant_per_email') throw duplicateTenantError([])
    throw error
  }
}

function newCustomer(tenant: TenantInput): NewCustomer {
  return { customerId: newId('tenant'), personal: detailsOfNew(tenant) }
}

function asTenant({ customerId, personal }: NewCustomer, numbers: ReadonlyMap<Id<'tenant'>, number>): QuoteTenant {
  const joiningNumber = numbers.get(customerId)
  if (joiningNumber === undefined) throw new Error(`${customerId} was not stored`)
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
