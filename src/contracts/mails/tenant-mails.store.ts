import { createHash } from 'node:crypto'
import type { Confirmer } from '../../partners/partner-settings.schema.ts'
import type { Origin } from '../../platform/db/access.ts'
import type { Database, Queryable, Tx } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { isHeldMail } from '../deaths/deaths.store.ts'
import { kindsThat, type TenantMailKindName, type TenantMailOutcome } from './tenant-mail-kinds.ts'
import type { MailContent } from './tenant-mail-layout.ts'

/** An e-mail that a tenant is to be sent. */
export interface NewTenantMail {
  kind: TenantMailKindName
  customerId: Id<'tenant'>
  /** The contract that it is about; null before the customer has had any. */
  contractNumber: string | null
  /** What it is about, if the customer is sent an e-mail of this kind about it once only. */
  once: string | null
  content: MailContent
  /** How it ends at once; null if it is to be sent. */
  outcome: Extract<TenantMailOutcome, 'refused' | 'not_permitted'> | null
}

/** An e-mail that this process has leased for one attempt. Its times are on the partner's clock. */
export interface LeasedTenantMail {
  mailId: Id<'mail'>
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  contractNumber: string | null
  kind: string
  createdAt: Date
  /** How many attempts there have been, with this one. */
  attempts: number
  nextAttemptAt: Date
  clockOffsetSeconds: number
}

const contentColumn = 'tenant_mails.content'

/**
 * Notes what tenants are to be sent, in the transaction of what it tells them, and leaves out what was noted before and
 * is to be sent once only. `now` is on the partner's clock.
 */
export async function insertTenantMails(
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
    insert into tenant_mails (mail_id, partner_id, customer_id, contract_number, kind, once, content_encrypted, sha256,
                              created_at, next_attempt_at, outcome, ended_at)
    select id, ${partnerId}, customer, contract, kind, once, content, hash, ${now},
           case when ended is null then ${now}::timestamptz end, ended,
           case when ended is not null then ${now}::timestamptz end
      from unnest(${rows.map(({ mailId }) => mailId)}::text[], ${rows.map(({ customerId }) => customerId)}::text[],
                  ${rows.map(({ contractNumber }) => contractNumber)}::text[], ${rows.map(({ kind }) => kind)}::text[],
                  ${rows.map(({ once }) => once)}::text[], ${rows.map(({ encrypted }) => encrypted)}::text[],
                  ${rows.map(({ sha256 }) => sha256)}::text[], ${rows.map(({ outcome }) => outcome)}::text[])
        as t (id, customer, contract, kind, once, content, hash, ended)
    on conflict (customer_id, partner_id, kind, once) where once is not null do nothing`)
}

/** What decides whether a partner's tenants are written to, and what e-mails say of it. */
export interface Mailing {
  partnerName: string
  /** Who sends confirmations, if the operator chose somebody for the partner. */
  confirmations: Confirmer | null
  /** Who acts in this transaction; null if nobody is known. */
  actor: Origin['actor'] | null
}

/** Reads who acts in this transaction, and for which partner. */
export async function findMailing(tx: Tx, partnerId: Id<'partner'>): Promise<Mailing> {
  const [row] = await tx.query<Mailing>(sql`
    select coalesce(sender_name, name) as "partnerName", confirmations,
           nullif(current_setting('housebill.origin', true), '')::jsonb ->> 'actor' as actor
      from partners where partner_id = ${partnerId}`)
  if (row === undefined) throw new Error('a customer has no partner')
  return row
}

/** Somebody who is written to. */
export interface Recipient {
  customerId: Id<'tenant'>
  /** The contract that they agreed to last; null if they never had one. */
  contractNumber: string | null
  /** Whether a housemate named them a fortnight ago or longer, and they have never opened their pages. */
  isSilent: boolean
}

/** What decides whether these customers are written to. `now` is on the partner's clock. */
export async function listRecipients(
  tx: Tx,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  customerIds: readonly Id<'tenant'>[],
): Promise<Map<Id<'tenant'>, Recipient>> {
  const rows = await tx.query<Recipient>(sql`
    select customer_id as "customerId", contract_number as "contractNumber",
           named_by_tenant and pages_opened_at is null and created_at <= ${now}::timestamptz - interval '14 days'
             as "isSilent"
      from customers where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])`)
  return new Map(rows.map((row) => [row.customerId, row]))
}

/** Those of these customers who were written a link to their pages. */
export async function listWhoWereInvited(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<Id<'tenant'>[]> {
  const rows = await tx.query<{ customerId: Id<'tenant'> }>(sql`
    select distinct customer_id as "customerId" from tenant_mails
     where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])
       and kind = any(${kindsThat('isLink')}::text[])`)
  return rows.map(({ customerId }) => customerId)
}

/** Those of these customers who have opened a link to their pages. */
export async function listWhoOpenedPages(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<Id<'tenant'>[]> {
  const rows = await tx.query<{ customerId: Id<'tenant'> }>(sql`
    select customer_id as "customerId" from customers
     where partner_id = ${partnerId} and customer_id = any(${[...customerIds]}::text[])
       and pages_opened_at is not null`)
  return rows.map(({ customerId }) => customerId)
}

/**
 * Leases the e-mail to a tenant that has been due for longest, and counts the attempt. Unless an outcome is recorded,
 * it is due again after a pause: a minute, then twice the last one, up to six hours. With `of`, leases one of that
 * partner's that is not among `attempted`: to that customer if it is due, or to anybody, due or not; then another
 * process may be about to send it, and an e-mail that is sent twice has one Message-ID. Leaves out what is held because
 * somebody is said to have died. `now` is real time; each partner's clock is added to it.
 */
export async function leaseDueTenantMail(
  system: Database,
  now: Date,
  of:
    | { partnerId: Id<'partner'>; customerId: Id<'tenant'> | undefined; attempted: readonly Id<'mail'>[] }
    | { besides: readonly string[] },
): Promise<LeasedTenantMail | undefined> {
  const isDue = sql`m.next_attempt_at <= ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)`
  const [row] = await system.query<LeasedTenantMail>(sql`
    with due as (
      select m.partner_id, m.mail_id, p.clock_offset_seconds from tenant_mails m join partners p using (partner_id)
       where ${
         'besides' in of
           ? sql`${isDue} and m.customer_id <> all(${[...of.besides]}::text[])`
           : sql`m.partner_id = ${of.partnerId} and m.next_attempt_at is not null
                 and m.mail_id <> all(${[...of.attempted]}::text[])
                 ${of.customerId === undefined ? empty : sql`and m.customer_id = ${of.customerId} and ${isDue}`}`
       } and not ${isHeldMail(kindsThat('isAskedFor'))}
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
  return row === undefined ? undefined : decryptContent(cipher, mailId, row.content)
}

/**
 * Notes in the receipts that a customer is still to be sent where they go and whom they greet, which nothing else says
 * once the customer is erased.
 */
export async function addressReceipts(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  { to, name }: { to: string; name: string },
): Promise<void> {
  const rows = await tx.query<{ mailId: Id<'mail'>; encrypted: string }>(sql`
    select mail_id as "mailId", content_encrypted as encrypted from tenant_mails
     where partner_id = ${partnerId} and customer_id = ${customerId} and next_attempt_at is not null
       and kind = any(${kindsThat('isReceipt')}::text[]) for update`)
  for (const { mailId, encrypted } of rows) {
    const plain = JSON.stringify({ to, ...decryptContent(cipher, mailId, encrypted), name })
    await tx.query(sql`
      update tenant_mails set content_encrypted = ${cipher.encrypt(plain, { column: contentColumn, row: mailId })},
             sha256 = ${createHash('sha256').update(plain).digest('hex')}
       where partner_id = ${partnerId} and mail_id = ${mailId}`)
  }
}

function decryptContent(cipher: FieldCipher, mailId: Id<'mail'>, encrypted: string): MailContent {
  const plain = cipher.decrypt(encrypted, { column: contentColumn, row: mailId })
  return JSON.parse(plain.toString('utf8')) as MailContent
}

/** The latest e-mail of each of these kinds that a customer was or is to be sent about a contract. */
export async function listLatestMails(
  tx: Tx,
  cipher: FieldCipher,
  about: { partnerId: Id<'partner'>; customerId: Id<'tenant'>; contractNumber: string },
  kinds: readonly TenantMailKindName[],
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
       and kind = any(${[...kinds]}::text[])
     order by kind, created_at desc, mail_id desc`)
  return rows.map(({ mailId, kind, encrypted, isPending }) => ({
    ...{ kind, customerId, contractNumber, once: null, outcome: null, isPending },
    content: decryptContent(cipher, mailId, encrypted),
  }))
}

/**
 * Keeps what is due, of all partners, for five minutes, because no mail server can be used. The attempt that showed it
 * does not count, and its e-mail goes after all others, so that no e-mail that is rejected by itself holds them up.
 * `now` is real time.
 */
export async function postponeTenantMails(
  system: Database,
  { partnerId, mailId }: Pick<LeasedTenantMail, 'partnerId' | 'mailId'>,
  now: Date,
): Promise<void> {
  const partnersNow = sql`(${now}::timestamptz + make_interval(secs => p.clock_offset_seconds))`
  const isThis = sql`m.partner_id = ${partnerId} and m.mail_id = ${mailId}`
  await system.query(sql`
    update tenant_mails m
       set attempts = attempts - case when ${isThis} then 1 else 0 end,
           next_attempt_at = ${partnersNow} + make_interval(mins => case when ${isThis} then 30 else 5 end)
      from partners p
     where p.partner_id = m.partner_id and (m.next_attempt_at <= ${partnersNow} or ${isThis})
       and m.next_attempt_at is not null`)
}

/**
 * Lets everything be sent again that was given up from `from` until before `before`, of all partners. Returns how many
 * e-mails. `now` is real time; the period is on each partner's clock.
 */
export async function retryGivenUpTenantMails(
  system: Database,
  { from, before, now }: { from: Date; before: Date; now: Date },
): Promise<number> {
  const rows = await system.query(sql`
    update tenant_mails m
       set outcome = null, ended_at = null, link_revision = null, attempts = 0,
           next_attempt_at = ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)
      from partners p
     where p.partner_id = m.partner_id and m.outcome = 'given_up' and m.ended_at >= ${from} and m.ended_at < ${before}
    returning 1`)
  return rows.length
}

/** Records that the customer needs none of the e-mails of these kinds that were still to be sent. */
export async function endPendingMails(
  tx: Tx,
  { partnerId, now }: { partnerId: Id<'partner'>; now: Date },
  customerId: Id<'tenant'>,
  kinds: readonly TenantMailKindName[],
): Promise<void> {
  await tx.query(sql`
    update tenant_mails set outcome = 'obsolete', next_attempt_at = null, ended_at = ${now}
     where partner_id = ${partnerId} and customer_id = ${customerId} and kind = any(${[...kinds]}::text[])
       and next_attempt_at is not null`)
}

/**
 * Records how an e-mail ended: no further attempt is made. `linkRevision` is the number of the link in it. `now` is on
 * the partner's clock.
 */
export async function recordTenantMailOutcome(
  tx: Tx,
  { partnerId, mailId }: Pick<LeasedTenantMail, 'partnerId' | 'mailId'>,
  { outcome, linkRevision = null }: { outcome: TenantMailOutcome; linkRevision?: number | null },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update tenant_mails set outcome = ${outcome}, next_attempt_at = null, ended_at = ${now},
           link_revision = ${linkRevision}
     where partner_id = ${partnerId} and mail_id = ${mailId}`)
}

/** An e-mail as it is listed, without its words. */
export interface ListedTenantMail {
  mailId: Id<'mail'>
  kind: string
  contractNumber: string | null
  createdAt: Date
  /** Null while it is to be sent. */
  outcome: TenantMailOutcome | null
  endedAt: Date | null
}

/** The latest e-mails to a customer, the latest first. */
export function listTenantMails(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
  limit: number,
): Promise<ListedTenantMail[]> {
  return db.query<ListedTenantMail>(sql`
    select mail_id as "mailId", kind, contract_number as "contractNumber", created_at as "createdAt", outcome,
           ended_at as "endedAt"
      from tenant_mails where partner_id = ${partnerId} and customer_id = ${customerId}
     order by created_at desc, mail_id desc limit ${limit}`)
}

/** Which of these hashes of addresses refused e-mails for the partner. */
export async function listRefusals(
  db: Queryable,
  partnerId: Id<'partner'>,
  emailHashes: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ emailHash: string }>(sql`
    select email_hash as "emailHash" from tenant_mail_refusals
     where partner_id = ${partnerId} and email_hash = any(${[...emailHashes]}::text[])`)
  return new Set(rows.map(({ emailHash }) => emailHash))
}

/** Records that nobody at this address wants e-mails for the partner before they have a contract. */
export async function insertRefusal(
  db: Queryable,
  { partnerId, emailHash, now }: { partnerId: Id<'partner'>; emailHash: string; now: Date },
): Promise<void> {
  await db.query(sql`
    insert into tenant_mail_refusals (email_hash, partner_id, refused_at) values (${emailHash}, ${partnerId}, ${now})
    on conflict do nothing`)
}

/** Takes refusals back. */
export async function deleteRefusals(
  db: Queryable,
  partnerId: Id<'partner'>,
  emailHashes: readonly string[],
): Promise<void> {
  await db.query(sql`
    delete from tenant_mail_refusals
     where partner_id = ${partnerId} and email_hash = any(${[...emailHashes]}::text[])`)
}
