import type { LeasedMail } from './partner-mails.store.ts'

type About = Pick<LeasedMail, 'kind' | 'subjectId' | 'subjectAt' | 'partnerName' | 'disabledReason' | 'credentialName'>

/**
 * The subject and the text of a mail to a partner. `publicUrl` is where the partner finds the console and the guides.
 */
export function writeMail(about: About, publicUrl: string): { subject: string; text: string } {
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
        `1. Find out why its deliveries failed, in the console: ${publicUrl}/console`,
        '2. Fix the receiver.',
        '3. Enable the webhook in the console, or set its status to "active" by the API.',
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
