import type { Caller } from '../../partners/caller.ts'
import type { Scope } from '../../partners/scopes.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type CustomerSummary, listCustomersOfQuotes } from '../tenants/customer-list.store.ts'

/** What a read of quotes returns besides the quotes. */
export interface Inclusion {
  /** Whether `include=customers` was sent. */
  withCustomers: boolean
  /** The scopes of the token. */
  scopes: readonly Scope[]
  /** Whether only the headers were asked for, so that nobody sees the customers. */
  isHead: boolean
}

/** The customers on each quote, by its id. Undefined if they were not asked for. */
export type IncludedCustomers = Map<Id<'quote'>, CustomerSummary[]> | undefined

/**
 * Reads the customers on these quotes in one statement, if they were asked for, and records in the audit log that each
 * was read. Throws
 * `insufficient_scope` unless the token may read customers.
 */
export async function includeCustomers(
  { db, cipher, readLog }: { db: Database; cipher: FieldCipher; readLog: ReadLog },
  caller: Caller,
  quoteIds: readonly Id<'quote'>[],
  { withCustomers, scopes, isHead }: Inclusion,
): Promise<IncludedCustomers> {
  if (!withCustomers) return undefined
  if (!scopes.includes('customers:read'))
    throw new DomainError(
      'insufficient_scope',
      'include=customers requires the scope customers:read, which the token does not have. Leave it out, or use credentials that have this scope.',
    )
  const included = await listCustomersOfQuotes(db, cipher, caller, quoteIds)
  const customerIds = [...included.values()].flatMap((customers) => customers.map(({ customerId }) => customerId))
  if (!isHead)
    await Promise.all(customerIds.map((customerId) => readLog.record(db, { subjectType: 'customer', customerId })))
  return included
}
