import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { type ChangeDependencies, changeQuote } from '../quotes/change-quote.ts'
import type { Quote, QuoteTenant } from '../quotes/quote.ts'
import { checkEmails } from './check-emails.ts'
import { insertCustomers, type NewCustomer } from './customers.store.ts'
import { detailsOfNew, type TenantInput } from './personal-details.schema.ts'
import { requireTenantsCanBeAdded } from './tenant-rules.ts'

/**
 * Adds tenants to a quote, after those it already has. `isComplete`: with them, everybody is on the quote. Throws
 * `too_many_tenants` and `duplicate_tenant`, and violates `one_tenant_per_email` in the rare case that
 * `requireTenantsCanBeAdded` misses.
 */
export function addNewTenants(
  tx: Tx,
  deps: ChangeDependencies,
  caller: Caller,
  { quoteId, tenants, isComplete }: { quoteId: Id<'quote'>; tenants: readonly TenantInput[]; isComplete: boolean },
): Promise<Quote> {
  const target = { quoteId, operation: 'add-tenants', reason: 'tenants_changed' } as const
  return changeQuote(tx, deps, caller, target, async (quote) => {
    requireTenantsCanBeAdded(quote.tenants, tenants)
    const added = tenants.map(newCustomer)
    const numbers = await insertCustomers(tx, deps.cipher, quote, added, caller.now)
    const withEmail = added.map((tenant, index) => ({ ...tenant, pointer: `/tenants/${index}/email` }))
    await checkEmails(tx, deps.cipher, caller, withEmail)
    return {
      ...quote,
      tenants: [...quote.tenants, ...added.map((customer) => asTenant(customer, numbers))],
      householdCompleteAt: isComplete ? caller.now : null,
    }
  })
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
    agreedToLead: false,
    isErased: false,
    mayLead: true,
    contractStatus: null,
    replaces: null,
    joinsOn: null,
    leavesOn: null,
  }
}
