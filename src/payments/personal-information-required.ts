import { DomainError } from '../platform/kernel/errors.ts'
import type { Customer } from '../quoting/tenants/customer.ts'

/** Throws `personal_information_required` if the customer's personal information has not been submitted. */
export function requirePersonalInformation(customer: Pick<Customer, 'status'>): void {
  if (customer.status !== 'active') return
  throw new DomainError(
    'personal_information_required',
    "First submit this customer's details with POST /Customers/{id}/finalise-personal-information.",
  )
}
