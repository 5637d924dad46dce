import { operatorAccountId } from '../partners/operators/operator-scopes.ts'
import { listPartners } from '../partners/partners.store.ts'
import { withPeopleNames } from '../people/people.store.ts'
import type { AuditEntry, AuditFilter } from '../platform/audit/audit-entry.ts'
import { listAuditEntries } from '../platform/audit/audit-log.store.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { isId } from '../platform/kernel/ids.ts'
import { findPartnerOfCustomer } from '../quoting/tenants/customers.store.ts'

/** An entry with whose it is and, if a person did it, the name that they have today. */
interface ListedEntry extends AuditEntry {
  partnerId: string
  person: string | null
}

/**
 * `housebill audit list`: lists the audit log entries of one customer, one partner, or all partners and the operator's
 * own account, oldest first. If there are more than `limit`, lists only the latest. Returns undefined for an unknown
 * customer or partner. The entries of a deleted customer are listed only under the partner.
 */
export async function listAuditLog(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  filter: AuditFilter & { partnerId?: string | undefined },
): Promise<ListedEntry[] | undefined> {
  const partnerIds = await partnersOf(databases, filter)
  if (partnerIds.length === 0) return undefined
  const lists = await Promise.all(
    partnerIds.map(async (partnerId) =>
      (await listAuditEntries(databases.forPartner(partnerId), partnerId, filter)).map((entry) => ({
        ...entry,
        partnerId,
      })),
    ),
  )
  const entries = lists
    .flat()
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .slice(-filter.limit)
  return withPeopleNames(databases.system, cipher, entries)
}

async function partnersOf(
  { system }: Databases,
  { partnerId, customerId }: { partnerId?: string | undefined; customerId?: string | undefined },
): Promise<string[]> {
  if (partnerId === undefined && customerId !== undefined) {
    const owner = isId('tenant', customerId) ? await findPartnerOfCustomer(system, customerId) : undefined
    return owner === undefined ? [] : [owner.partnerId]
  }
  const all = new Set([...(await listPartners(system)).map((partner) => partner.partnerId), operatorAccountId])
  return [...all].filter((each) => partnerId === undefined || each === partnerId)
}
