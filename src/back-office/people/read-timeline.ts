import { type ListedTenantMail, listTenantMails } from '../../contracts/mails/tenant-mails.store.ts'
import type { Caller } from '../../partners/caller.ts'
import { withPeopleNames } from '../../people/people.store.ts'
import type { AuditEntry } from '../../platform/audit/audit-entry.ts'
import { listAuditEntries } from '../../platform/audit/audit-log.store.ts'
import type { ReadLog } from '../../platform/audit/read-log.ts'
import type { Database } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { CustomerEvent } from '../../privacy/customer-records.store.ts'
import { loadCustomer } from '../../quoting/tenants/load-customer.ts'
import { withoutPsr } from '../../quoting/tenants/without-psr.ts'
import { listCustomerEvents } from '../../webhooks/event-log/event-log.store.ts'

/** The most events of a timeline, audit log entries and e-mails. If there are more, the latest are listed. */
export const maxTimelineEntries = 1_000

/**
 * What happened to a customer: an event that partners were told, an entry of the audit log, which says who did what, or
 * an e-mail to the customer.
 */
export type TimelineEntry = { at: Date } & (
  | { event: CustomerEvent }
  | { audit: AuditEntry & { person: string | null } }
  | { mail: ListedTenantMail }
)

/**
 * GET /operator-api/Customers/{customerId}/timeline: what happened to a customer and by whom, oldest first. `system`
 * sees people of every account. Without `withPsr`, nothing says that there are Priority Services Register details. The
 * reading is recorded in the audit log.
 */
export async function readTimeline(
  { db, system, cipher, readLog }: { db: Database; system: Database; cipher: FieldCipher; readLog: ReadLog },
  caller: Caller,
  { customerId, withPsr }: { customerId: Id<'tenant'>; withPsr: boolean },
): Promise<TimelineEntry[]> {
  const { partnerId } = caller
  const { quoteId } = await loadCustomer(db, cipher, caller, customerId)
  const [entries, events, mails] = await Promise.all([
    listAuditEntries(db, partnerId, { customerId, limit: maxTimelineEntries }),
    listCustomerEvents(db, partnerId, { customerId, quoteId, limit: maxTimelineEntries }),
    listTenantMails(db, partnerId, customerId, maxTimelineEntries),
  ])
  await readLog.record(db, { subjectType: 'customer', customerId })
  // The operator's people are of another account than the customer.
  const named = await withPeopleNames(system, cipher, withPsr ? entries : withoutPsr(entries))
  const audited = named.map((audit) => ({ at: audit.at, audit }))
  const told = events.map((event) => ({ at: event.occurredAt, event }))
  const written = mails.map((mail) => ({ at: mail.endedAt ?? mail.createdAt, mail }))
  return [...audited, ...told, ...written].sort((one, other) => one.at.getTime() - other.at.getTime())
}
