import { comparableEmail } from '../../platform/kernel/email.ts'
import { type DomainError, type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import { maxTenants } from '../quote-limits.ts'
import type { QuoteTenant } from '../quotes/quote.ts'
import type { TenantInput } from './personal-details.schema.ts'

const emailTaken = 'Another tenant of this quote has this email address. Each tenant needs a different one.'

/**
 * Throws `too_many_tenants` if the limit would be exceeded, and `duplicate_tenant` naming every email address that the
 * quote already has or that the request contains twice.
 */
export function requireTenantsCanBeAdded(present: readonly QuoteTenant[], added: readonly TenantInput[]): void {
  if (present.length + added.length > maxTenants) {
    const code = 'too_many_tenants'
    const detail = `A quote can have up to ${maxTenants} tenants. This quote has ${present.length}, so you can add at most ${maxTenants - present.length}.`
    throw invalidFields([{ pointer: '/tenants', code, detail }], code)
  }
  const taken = new Set(present.map(({ personal }) => comparableEmail(personal.email)))
  const fields: FieldError[] = []
  for (const [index, tenant] of added.entries()) {
    if (tenant.email === undefined) continue
    const email = comparableEmail(tenant.email)
    if (taken.has(email)) {
      fields.push({
        pointer: `/tenants/${index}/email`,
        code: 'duplicate_tenant',
        detail: emailTaken,
      })
    }
    taken.add(email)
  }
  if (fields.length > 0) throw duplicateTenantError(fields)
}

/**
 * Throws `duplicate_tenant` if another tenant has the email address. The unique index on hashes cannot tell while the
 * key of the hashes is being replaced, so call this while the quote is locked.
 */
export function requireOwnEmail(tenants: readonly QuoteTenant[], customerId: string, email: string): void {
  const isTaken = tenants.some(
    (tenant) => tenant.tenantId !== customerId && comparableEmail(tenant.personal.email) === comparableEmail(email),
  )
  if (isTaken && email !== '') throw duplicateEmailError()
}

export function duplicateEmailError(): DomainError {
  return duplicateTenantError([{ pointer: '/email', code: 'duplicate_tenant', detail: emailTaken }])
}

export function duplicateTenantError(fields: readonly FieldError[]): DomainError {
  return invalidFields(fields, 'duplicate_tenant')
}
