import type { Database, Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'

type MailKind = 'webhook_disabled' | 'credential_ending'

/** `obsolete`: what it was about is no longer so, or nobody is to be written to. */
export type MailOutcome = 'sent' | 'given_up' | 'obsolete'

/** A mail that this process has leased for one attempt, with what it needs to be written. */
export interface LeasedMail {
  mailId: Id<'mail'>
  partnerId: Id<'partner'>
  kind: MailKind
  /** The webhook's id or the client id. */
  subjectId: string
  /** When the webhook was disabled, or when the credential ends. */
  subjectAt: Date
  createdAt: Date
  /** How many attempts there have been, with this one. */
  attempts: number
  nextAttemptAt: Date
  partnerName: string
  /** Null if the partner has no contact or is disabled. */
  contactEmail: string | null
  /** Why the webhook was disabled. */
  disabledReason: string | null
  credentialName: string | null
  /** Whether the webhook is still disabled, or the credential still works. */
  isCurrent: boolean
}

/**
 * Notes that a partner's contact is to learn that a webhook was disabled. Does nothing if the partner has no contact.
 */
export async function queueDisabledWebhookMail(
  tx: Tx,
  { partnerId, webhookId }: { partnerId: Id<'partner'>; webhookId: Id<'webhook'> },
): Promise<void> {
  await tx.query(sql`
    insert into partner_mails (mail_id, partner_id, kind, subject_id, subject_at, created_at, next_attempt_at)
    select ${newId('mail')}, w.partner_id, 'webhook_disabled', w.webhook_id, w.disabled_at, w.disabled_at, w.disabled_at
      from webhooks w join partners p using (partner_id)
     where w.partner_id = ${partnerId} and w.webhook_id = ${webhookId} and p.contact_email_encrypted is not null
    on conflict do nothing`)
}

/** A credential whose partner's contact is to learn that it ends. */
export interface EndingCredential {
  partnerId: Id<'partner'>
  clientId: string
  daysBefore: number
}

/**
 * Credentials that end within one of these numbers of days and have no mail for it yet; each with the smallest number.
 * Leaves out credentials that were made for a shorter time, ended ones, and partners that are disabled or have no
 * contact.
 */
export function listEndingCredentials(
  db: Queryable,
  { now, daysBefore }: { now: Date; daysBefore: readonly number[] },
): Promise<EndingCredential[]> {
  return db.query(sql`
    select c.partner_id as "partnerId", c.client_id as "clientId", step.days as "daysBefore"
      from credentials c join partners p using (partner_id)
      cross join lateral (
        select min(days)::integer as days from unnest(${daysBefore}::integer[]) days
         where c.expires_at <= ${now}::timestamptz + make_interval(hours => 24 * days)) step
     where c.expires_at > ${now} and c.created_at <= c.expires_at - make_interval(hours => 24 * step.days)
       and p.contact_email_encrypted is not null and p.disabled_at is null
       and not exists (
         select from partner_mails m
          where m.partner_id = c.partner_id and m.kind = 'credential_ending' and m.subject_id = c.client_id
            and m.subject_at = c.expires_at and m.days_before = step.days)`)
}

/** Notes that a partner's contact is to learn that a credential ends; once for each end and number of days. */
export async function queueEndingCredentialMail(
  db: Database,
  { partnerId, clientId, daysBefore }: EndingCredential,
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into partner_mails (mail_id, partner_id, kind, subject_id, subject_at, days_before, created_at,
                               next_attempt_at)
    select ${newId('mail')}, partner_id, 'credential_ending', client_id, expires_at, ${daysBefore}, ${now}, ${now}
      from credentials where partner_id = ${partnerId} and client_id = ${clientId} and expires_at is not null
    on conflict do nothing`)
}

/**
 * Leases the mail that has been due for longest, and counts the attempt. Unless an outcome is recorded, the mail is due
 * again after a pause: a minute, then twice the last one, up to six hours. Returns undefined if no mail is due.
 */
export async function leaseDueMail(db: Database, cipher: FieldCipher, now: Date): Promise<LeasedMail | undefined> {
  const [row] = await db.query<LeasedMail & { emailEncrypted: string | null }>(sql`
    with due as (
      select partner_id, mail_id from partner_mails where next_attempt_at <= ${now}
       order by next_attempt_at, mail_id limit 1 for update skip locked
    ),
    leased as (
      update partner_mails m
         set attempts = m.attempts + 1,
             next_attempt_at = ${now}::timestamptz + least(interval '1 minute' * 2 ^ least(m.attempts, 20),
                                                           interval '6 hours')
        from due where m.partner_id = due.partner_id and m.mail_id = due.mail_id returning m.*
    )
    select m.mail_id as "mailId", m.partner_id as "partnerId", m.kind, m.subject_id as "subjectId",
           m.subject_at as "subjectAt",
           m.created_at as "createdAt", m.attempts, m.next_attempt_at as "nextAttemptAt", p.name as "partnerName",
           case when p.disabled_at is null then p.contact_email_encrypted end as "emailEncrypted",
           w.disabled_reason as "disabledReason", c.name as "credentialName",
           coalesce(w.disabled_at = m.subject_at and w.deleted_at is null, c.expires_at = m.subject_at
                    and c.expires_at > ${now}, false)
             as "isCurrent"
      from leased m join partners p using (partner_id)
      left join webhooks w on m.kind = 'webhook_disabled' and w.partner_id = m.partner_id
          and w.webhook_id = m.subject_id
      left join credentials c on m.kind = 'credential_ending' and c.partner_id = m.partner_id
          and c.client_id = m.subject_id`)
  if (row === undefined) return undefined
  const { emailEncrypted, ...mail } = row
  const location = { column: 'partners.contact_email', row: mail.partnerId }
  return {
    ...mail,
    contactEmail: emailEncrypted === null ? null : cipher.decrypt(emailEncrypted, location).toString('utf8'),
  }
}

/**
 * Keeps what is due for five minutes, because no mail server can be used. The attempt that showed it does not count,
 * and its mail goes after all others, so that no mail that is rejected by itself holds them up.
 */
export async function postponeMails(
  db: Database,
  { partnerId, mailId }: Pick<LeasedMail, 'partnerId' | 'mailId'>,
  now: Date,
): Promise<void> {
  await db.query(sql`
    update partner_mails
       set attempts = attempts - case when mail_id = ${mailId} then 1 else 0 end,
           next_attempt_at = ${now}::timestamptz + make_interval(mins => case when mail_id = ${mailId} then 30 else 5 end)
     where next_attempt_at <= ${now} or partner_id = ${partnerId} and mail_id = ${mailId} and outcome is null`)
}

/** Lets every mail be sent again that was written from `from` until before `before` and given up. Returns how many. */
export async function retryGivenUpMails(
  db: Database,
  { from, before, now }: { from: Date; before: Date; now: Date },
): Promise<number> {
  const rows = await db.query(sql`
    update partner_mails set outcome = null, attempts = 0, next_attempt_at = ${now}
     where outcome = 'given_up' and created_at >= ${from} and created_at < ${before} returning 1`)
  return rows.length
}

/** Records how a mail ended: no further attempt is made. */
export async function recordMailOutcome(
  db: Database,
  { partnerId, mailId }: Pick<LeasedMail, 'partnerId' | 'mailId'>,
  outcome: MailOutcome,
): Promise<void> {
  await db.query(sql`
    update partner_mails set outcome = ${outcome}, next_attempt_at = null
     where partner_id = ${partnerId} and mail_id = ${mailId}`)
}

/**
 * Removes mails that are more than 30 days old; returns how many. Credentials are announced at most 14 days ahead, so
 * none is announced again.
 */
export async function deleteOldMails(db: Queryable, now: Date): Promise<number> {
  const rows = await db.query(sql`
    delete from partner_mails where created_at < ${now}::timestamptz - interval '30 days' returning 1`)
  return rows.length
}
