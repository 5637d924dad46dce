import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** What a tenant does on their pages that sends an e-mail to somebody else. */
export type CausedKind = 'invitation' | 'correction' | 'hand_over' | 'dates' | 'tenancy_end'

/** An e-mail that a tenant was about to cause. */
export interface CausedMail {
  kind: CausedKind
  quoteId: Id<'quote'>
  /** The tenant who acts. */
  causedBy: Id<'tenant'>
  emailHash: string
  /** On the partner's clock. */
  causedAt: Date
}

/**
 * What tenants of the partner caused since then on this quote or to these addresses, the latest first. Until the
 * transaction ends, nobody else of the partner's tenants causes anything.
 */
export async function lockCausedMails(
  tx: Tx,
  { partnerId, quoteId, since }: { partnerId: Id<'partner'>; quoteId: Id<'quote'>; since: Date },
  emailHashes: readonly string[],
): Promise<CausedMail[]> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('caused_mails ' || ${partnerId}, 0))`)
  return tx.query<CausedMail>(sql`
    select kind, quote_id as "quoteId", caused_by as "causedBy", email_hash as "emailHash", caused_at as "causedAt"
      from caused_mails
     where partner_id = ${partnerId} and caused_at > ${since}
       and (quote_id = ${quoteId} or email_hash = any(${[...emailHashes]}::text[]))
     order by caused_at desc, caused_number desc`)
}

export async function insertCausedMail(
  tx: Tx,
  partnerId: Id<'partner'>,
  { kind, quoteId, causedBy, emailHash, causedAt, meetsCap }: CausedMail & { meetsCap: boolean },
): Promise<void> {
  await tx.query(sql`
    insert into caused_mails (partner_id, quote_id, caused_by, kind, email_hash, caused_at, meets_cap)
    values (${partnerId}, ${quoteId}, ${causedBy}, ${kind}, ${emailHash}, ${causedAt}, ${meetsCap})`)
}

/** Deletes up to `limit` of what no cap counts any more, of all partners. `now` is real time. Returns how many. */
export async function deleteOldCausedMails(system: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await system.query(sql`
    delete from caused_mails
     where ctid = any(array(
       select c.ctid from caused_mails c join partners p using (partner_id)
        where c.caused_at < ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds) - interval '2 days'
        limit ${limit}))
    returning 1`)
  return rows.length
}
