import { kindsThat } from '../contracts/mails/tenant-mail-kinds.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** The tenants of all partners with this e-mail address, newest first. */
export function listCustomersOfEmail(
  system: Queryable,
  { hashes, limit }: { hashes: readonly string[]; limit: number },
): Promise<{ partnerId: Id<'partner'>; customerId: Id<'tenant'>; clockOffsetSeconds: number }[]> {
  return system.query(sql`
    select c.partner_id as "partnerId", c.customer_id as "customerId",
           p.clock_offset_seconds::float8 as "clockOffsetSeconds"
      from customers c join partners p using (partner_id)
     where c.email_hash = any(${[...hashes]}::text[]) and c.removed_at is null and c.erased_at is null
     order by c.created_at desc limit ${limit}`)
}

/**
 * Whether a link to the tenant's pages is on its way, or one that works left for their address since then. Read under
 * the lock of the quote, so that of two requests one sends.
 */
export async function hasLinkSince(
  tx: Tx,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  since: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select from tenant_mails m join customers c using (partner_id, customer_id)
     where partner_id = ${partnerId} and customer_id = ${customerId} and m.kind = any(${kindsThat('isLink')}::text[])
       and (m.next_attempt_at is not null
            or m.outcome = 'sent' and m.ended_at > ${since}
               and m.link_revision in (c.onboarding_revision, c.onboarding_revision + 1))
     limit 1`)
  return rows.length > 0
}
