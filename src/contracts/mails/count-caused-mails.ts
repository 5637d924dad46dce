import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { emailHash, emailHashes } from '../../platform/kernel/email.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type CausedKind, type CausedMail, insertCausedMail, lockCausedMails } from './caused-mails.store.ts'

const dayMs = 86_400_000
/** How many e-mails a day tenants can cause to one address. */
const perAddress = 3

/** How much tenants can do a day of what sends e-mails to others, and who shares the number. */
const caps: readonly { kind: CausedKind; perDay: number; of: 'causedBy' | 'quoteId' }[] = [
  { kind: 'invitation', perDay: 12, of: 'quoteId' },
  { kind: 'correction', perDay: 6, of: 'quoteId' },
  { kind: 'hand_over', perDay: 3, of: 'causedBy' },
  { kind: 'tenancy_end', perDay: 20, of: 'quoteId' },
]

/**
 * Counts the e-mails that a tenant is about to cause to others, so that nobody writes to strangers in the operator's
 * name as often as they like. What partners send has the limits of the API. Throws `rate_limited` until the day is over
 * in which a cap was met.
 */
export async function countCausedMails(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  { partnerId, now }: Pick<Caller, 'partnerId' | 'now'>,
  caused: { kind: CausedKind; quoteId: Id<'quote'>; causedBy: Id<'tenant'>; emails: readonly string[] },
): Promise<void> {
  const { emails: addresses, ...act } = caused
  const emails = addresses.filter((email) => email !== '')
  await inTransaction(db, {}, async (tx) => {
    const about = { partnerId, quoteId: act.quoteId, since: new Date(now.getTime() - dayMs) }
    const hashes = emails.map((email) => emailHashes(cipher, email))
    const recent = await lockCausedMails(tx, about, hashes.flat())
    const mails = emails.map((email) => ({ ...act, emailHash: emailHash(cipher, email), causedAt: now }))
    for (const [index, mail] of mails.entries()) {
      const meetsCap = countsOf(mail, hashes[index] ?? [], recent).map(({ found, cap }) => {
        const oldest = found[cap - 1]
        if (oldest !== undefined) throw tooManyMails((oldest.causedAt.getTime() + dayMs - now.getTime()) / 1000)
        return found.length + 1 === cap
      })
      await insertCausedMail(tx, partnerId, { ...mail, meetsCap: meetsCap.includes(true) })
    }
  })
}

/** What counts towards each cap on an e-mail, the latest first. */
function countsOf(mail: CausedMail, hashes: readonly string[], recent: readonly CausedMail[]) {
  const ofKind = caps
    .filter(({ kind }) => kind === mail.kind)
    .map(({ kind, perDay, of }) => ({
      cap: perDay,
      found: recent.filter((each) => each.kind === kind && each[of] === mail[of]),
    }))
  return [...ofKind, { cap: perAddress, found: recent.filter((each) => hashes.includes(each.emailHash)) }]
}

function tooManyMails(retryAfterSeconds: number): DomainError {
  return new DomainError('rate_limited', 'Tenants can cause only so many e-mails to others a day.', {
    retryAfterSeconds: Math.max(1, retryAfterSeconds),
  })
}
