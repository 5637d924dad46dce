import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type Attempt, attemptMail, type MailAttempt } from '../../platform/mail/attempt-mail.ts'
import type { MailSender } from '../../platform/mail/mail-sender.ts'
import {
  type LeasedMail,
  leaseDueMail,
  listEndingCredentials,
  postponeMails,
  queueEndingCredentialMail,
  recordMailOutcome,
} from './partner-mails.store.ts'

type About = Pick<LeasedMail, 'kind' | 'subjectId' | 'subjectAt' | 'partnerName' | 'disabledReason' | 'credentialName'>

/**
 * The subject and the text of a mail to a partner. `publicUrl` is where the partner finds the pages for developers and the guides.
 */
function writeMail(about: About, publicUrl: string): { subject: string; text: string } {
  const { subject, paragraphs } =
    about.kind === 'webhook_disabled' ? disabled(about, publicUrl) : ending(about, publicUrl)
  const reason = `You get this e-mail because you are the contact of ${about.partnerName} at ${publicUrl}. To change the contact, ask the operator of this service.`
  return { subject, text: ['Hello,', ...paragraphs, reason].map((paragraph) => `${paragraph}\n`).join('\n') }
}

function disabled({ subjectId, subjectAt, disabledReason }: About, publicUrl: string) {
  return {
    subject: `Your webhook ${subjectId} was disabled`,
    paragraphs: [
      `Your webhook ${subjectId} was disabled on ${inWords(subjectAt)}. ${disabledReason ?? ''}`.trim(),
      'It is sent nothing more until you enable it.',
      [
        'What to do:',
        `1. Find out why its deliveries failed, on the pages for developers: ${publicUrl}/workplace/developers`,
        '2. Fix the receiver.',
        '3. Enable the webhook there, or set its status to "active" by the API.',
        `4. Request what it missed: ${publicUrl}/docs/guides/webhooks#what-a-webhook-missed`,
      ].join('\n'),
    ],
  }
}

function ending({ subjectId, subjectAt, credentialName }: About, publicUrl: string) {
  const named = credentialName === null ? subjectId : `${subjectId} (${credentialName})`
  return {
    subject: `Your credential ${subjectId} is about to end`,
    paragraphs: [
      `Your credential ${named} ends on ${inWords(subjectAt)}. From then on it gets no tokens, and its tokens are rejected.`,
      'What to do: ask the operator of this service for a new credential, and change your programs to it before that time. If you no longer need the credential, you need do nothing.',
      `How credentials work: ${publicUrl}/docs/guides/authentication`,
    ],
  }
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

function inWords(instant: Date): string {
  return `${format.format(instant)} UTC`
}

export interface MailingDependencies {
  db: Database
  cipher: FieldCipher
  clock: Clock
  mailSender: MailSender
  publicUrl: string
}

/** How many days before the end of a credential its partner's contact is written to. */
const credentialNoticeDays: readonly number[] = [14, 1]

/** Notes which credentials are about to end. Repeating it notes nothing twice. */
export async function queueEndingCredentialMails({ db, clock }: MailingDependencies): Promise<void> {
  const now = clock.now()
  const ending = await listEndingCredentials(db, { now, daysBefore: credentialNoticeDays })
  for (const credential of ending) await queueEndingCredentialMail(db, credential, now)
}

/** Leases the mail that has been due for longest. Undefined if none is due. */
export function leasePartnerMail({ db, cipher, clock }: MailingDependencies): Promise<LeasedMail | undefined> {
  return leaseDueMail(db, cipher, clock.now())
}

/**
 * Sends a mail that is leased, outside any transaction. Returns how the attempt ended and whether it is of any use to
 * send others now. If the process is killed before it has recorded the outcome, the mail is sent again, with the same
 * Message-ID.
 */
export async function sendPartnerMail(
  deps: MailingDependencies,
  mail: LeasedMail,
): Promise<MailAttempt & { isServerUsable: boolean }> {
  const { outcome, failure } = await attempt(deps, mail)
  if (outcome !== 'failed') await recordMailOutcome(deps.db, mail, outcome)
  else if (failure?.kind === 'unavailable') await postponeMails(deps.db, mail, deps.clock.now())
  const { mailId, partnerId, kind } = mail
  const reason = failure === undefined ? {} : { reason: failure.reason }
  return { mailId, partnerId, kind, outcome, ...reason, isServerUsable: failure?.kind !== 'unavailable' }
}

async function attempt(
  { mailSender, publicUrl }: MailingDependencies,
  mail: LeasedMail,
): Promise<Omit<Attempt, 'outcome'> & Pick<MailAttempt, 'outcome'>> {
  const { mailId, contactEmail, partnerName, isCurrent, createdAt } = mail
  if (!isCurrent || contactEmail === null) return { outcome: 'obsolete' }
  const to = { name: partnerName, address: contactEmail }
  return attemptMail(mailSender, { mailId, to, ...writeMail(mail, publicUrl), date: createdAt }, mail)
}
