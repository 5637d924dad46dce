import type { Id } from '../../platform/kernel/ids.ts'
import { type LinkSigning, signLink, verifyLink } from '../links/link-token.ts'

/** What a link to refuse e-mails is about. */
interface RefusedMails {
  customerId: Id<'tenant'>
  /** The keyed hash of the address to which the link was sent: the customer's may have changed since. */
  emailHash: string
}

/** Creates and verifies the tokens in e-mails by which their reader says that they are not who was meant. */
export interface RefusalLinks {
  /** A token that works until `expiresAt` on the partner's clock. */
  sign(link: RefusedMails & { expiresAt: Date }): Promise<string>
  /** The hash of the address to which the token was sent; undefined for any other token. */
  opens(token: string, about: { customerId: Id<'tenant'>; now: Date }): Promise<string | undefined>
}

/** How many days a link to refuse e-mails works, which is how long the keys of links are kept. */
export const refusalLinkDays = 30

const audience = 'not-me'

export function createRefusalLinks(signing: LinkSigning): RefusalLinks {
  return {
    // No revision ends it: a new link to the pages, or a changed address, does not make the reader who was meant.
    sign: ({ customerId, emailHash, expiresAt }) =>
      signLink(signing, { subject: customerId, audience, revision: 0 }, { claims: { address: emailHash }, expiresAt }),
    async opens(token, { customerId, now }) {
      const target = { subject: customerId, audience, revision: 0, now }
      return (await verifyLink<{ address?: string }>(signing, token, target))?.address
    },
  }
}

/**
 * The page on which the reader of an e-mail refuses further ones: all before there is a contract (`not-me`), or only
 * reminders to sign.
 */
export function refusalUrl(
  publicUrl: string,
  { customerId, page, token }: { customerId: Id<'tenant'>; page: 'not-me' | 'no-reminders'; token: string },
): string {
  return `${publicUrl}/my-bills/${customerId}/${page}/${token}`
}
