import type { Caller } from '../../partners/caller.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { DomainError, notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import type { Customer } from './customer.ts'
import { findCustomer } from './customers.store.ts'

/**
 * One of the caller's customers as of now, also one who was removed or erased. Throws `not_found` for an id that is
 * malformed, unknown or another partner's.
 */
export async function loadCustomer(
  db: Queryable,
  cipher: FieldCipher,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  id: Id<'tenant'>,
): Promise<Customer> {
  const customer = isId('tenant', id) ? await findCustomer(db, cipher, caller, id) : undefined
  if (customer === undefined) throw notFound('customer')
  return customer
}

/** Throws `customer_erased` if the customer has been erased, because no operation is then possible. */
export function requireNotErased(customer: Pick<Customer, 'erasedAt'>): void {
  if (customer.erasedAt === null) return
  throw new DomainError(
    'customer_erased',
    "This customer's data was erased, so they can do nothing more. While the quote is open, you can remove the tenant with POST /Quotes/{id}/remove-tenants; one who was to take over a share, with POST /Customers/{id}/withdraw-replacement of the tenant who leaves.",
  )
}

/**
 * Throws `customer_removed` if the customer has left the quote. Their contracts stay readable, but nothing more can be
 * done.
 */
export function requireNotRemoved(customer: Pick<Customer, 'removedAt'>): void {
  if (customer.removedAt !== null) throw customerRemoved()
}

/** The error for a customer who has left the quote. */
export function customerRemoved(): DomainError {
  return new DomainError(
    'customer_removed',
    'This customer was removed from the quote. Their contracts stay readable with GET /Customers/{id}/contracts.',
  )
}

/** Throws `personal_information_required` if the customer's personal information has not been submitted. */
export function requirePersonalInformation(customer: Pick<Customer, 'status'>): void {
  if (customer.status !== 'active') return
  throw new DomainError(
    'personal_information_required',
    "First submit this customer's details with POST /Customers/{id}/finalise-personal-information.",
  )
}
