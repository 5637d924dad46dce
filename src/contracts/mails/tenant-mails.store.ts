import { createHash } from 'node:crypto'
import type { Database, Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import type { TenantMailKindName } from './tenant-mail-kinds.ts'

/** The words of an e-mail, which are stored as they are sent. */
export interface MailContent {
  subject: string
  text: string
}

/** An e-mail that a tenant is to be sent about their contract. */
export interface NewTenantMail {
  kind: TenantMailKindName
  customerId: Id<'tenant'>
  contractNumber: string
  content: MailContent
}

/** An e-mail that this process has leased for one attempt. Its times are on the partner's clock. */
export interface LeasedTenantMail {
  mailId: Id<'mail'>
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  contractNumber: string
  kind: string
  createdAt: Date
  /** How many attempts there have been, with this one. */
  attempts: number
  nextAttemptAt: Date
  clockOffsetSeconds: number
}

const contentColumn = 'tenant_mails.content'

/** Notes what tenants are to be sent, in the transaction of what it tells them. `now` is on the partner's clock. */
export async function queueTenantMails(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  mails: readonly NewTenantMail[],
): Promise<void> {
  const rows = mails.map((mail) => {
    const mailId = newId('mail')
    const plain = JSON.stringify(mail.content)
    const encrypted = cipher.encrypt(plain, { column: contentColumn, row: mailId })
    return { ...mail, mailId, encrypted, sha256: createHash('sha256').update(plain).digest('hex') }
  })
  await tx.query(sql`
    insert into tenant_mails (mail_id, partner_id, customer_id, contract_number, kind, content_encrypted, sha256,
                              created_at, next_attempt_at)
    select id, ${partnerId}, customer, contract, kind, content, hash, ${now}, ${now}
      from unnest(${rows.map(({ mailId }) => mailId)}::text[], ${rows.map(({ customerId }) => customerId)}::text[],
                  ${rows.map(({ contractNumber }) => contractNumber)}::text[], ${rows.map(({ kind }) => kind)}::text[],
                  ${rows.map(({ encrypted }) => encrypted)}::text[], ${rows.map(({ sha256 }) => sha256)}::text[])
        as t (id, customer, contract, kind, content, hash)`)
}

/**
 * Leases the e-mail to a tenant that has been due for longest, and counts the attempt. Unless an outcome is recorded,
 * it is due again after a pause: a minute, then twice the last one, up to six hours. With `of`, leases a pending e-mail
 * of that partner's that is not among `attempted`, due or not: another process may be about to send it, and an e-mail
 * that is sent twice has one Message-ID. `now` is real time; each partner's clock is added to it.
 */
export async function leaseDueTenantMail(
  system: Database,
  now: Date,
  of: { partnerId: Id<'partner'>; attempted: readonly Id<'mail'>[] } | null,
): Promise<LeasedTenantMail | undefined> {
  const [row] = await system.query<LeasedTenantMail>(sql`
    with due as (
      select m.partner_id, m.mail_id, p.clock_offset_seconds from tenant_mails m join partners p using (partner_id)
       where ${
         of === null
           ? sql`m.next_attempt_at <= ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)`
           : sql`m.partner_id = ${of.partnerId} and m.next_attempt_at is not null
                 and m.mail_id <> all(${[...of.attempted]}::text[])`
       }
       order by m.next_attempt_at, m.mail_id limit 1 for update of m skip locked
    )
    update tenant_mails m
       set attempts = m.attempts + 1,
           next_attempt_at = ${now}::timestamptz + make_interval(secs => due.clock_offset_seconds)
                             + least(interval '1 minute' * 2 ^ least(m.attempts, 20), interval '6 hours')
      from due where m.partner_id = due.partner_id and m.mail_id = due.mail_id
    returning m.mail_id as "mailId", m.partner_id as "partnerId", m.customer_id as "customerId",
              m.contract_number as "contractNumber", m.kind, m.created_at as "createdAt", m.attempts,
              m.next_attempt_at as "nextAttemptAt", due.clock_offset_seconds::float8 as "clockOffsetSeconds"`)
  return row
}

/** The words of an e-mail; undefined once they were erased. */
export async function findMailContent(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, mailId }: Pick<LeasedTenantMail, 'partnerId' | 'mailId'>,
): Promise<MailContent | undefined> {
  const [row] = await db.query<{ content: string }>(sql`
    select content_encrypted as content from tenant_mails where partner_id = ${partnerId} and mail_id = ${mailId}`)
  if (row === undefined) return undefined
  return JSON.parse(cipher.decrypt(row.content, { column: contentColumn, row: mailId }).toString('utf8')) as MailContent
}

/** The latest e-mail of each kind that a customer was or is to be sent about a contract. */
export async function listLatestMails(
  tx: Tx,
  cipher: FieldCipher,
  about: { partnerId: Id<'partner'>; customerId: Id<'tenant'>; contractNumber: string },
): Promise<(NewTenantMail & { isPending: boolean })[]> {
  const { partnerId, customerId, contractNumber } = about
  const rows = await tx.query<{
    mailId: Id<'mail'>
    kind: TenantMailKindName
    encrypted: string
    isPending: boolean
  }>(sql`
    select distinct on (kind) mail_id as "mailId", kind, content_encrypted as encrypted,
           next_attempt_at is not null as "isPending"
      from tenant_mails
     where partner_id = ${partnerId} and customer_id = ${customerId} and contract_number = ${contractNumber}
     order by kind, created_at desc, mail_id desc`)
  return rows.map(({ mailId, kind, encrypted, isPending }) => {
    const plain = cipher.decrypt(encrypted, { column: contentColumn, row: mailId })
    return { kind, customerId, contractNumber, content: JSON.parse(plain.toString('utf8')) as MailContent, isPending }
  })
}

/** Records how an e-mail ended: no further attempt is made. `now` is on the partner's clock. */
export async function recordTenantMailOutcome(
  tx: Tx,
  { partnerId, mailId }: Pick<LeasedTenantMail, 'partnerId' | 'mailId'>,
  outcome: 'sent' | 'given_up' | 'obsolete',
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update tenant_mails set outcome = ${outcome}, next_attempt_at = null, ended_at = ${now}
     where partner_id = ${partnerId} and mail_id = ${mailId}`)
}
