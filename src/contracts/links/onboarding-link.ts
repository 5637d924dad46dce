import type { Id } from '../../platform/kernel/ids.ts'
import { type LinkSigning, signLink, verifyLink } from './link-token.ts'

/** Creates and verifies the tokens in links to a tenant's pages. They open no document. */
export interface OnboardingLinks {
  /** A token that works with this revision until `expiresAt` on the partner's clock. */
  sign(link: { customerId: Id<'tenant'>; revision: number; expiresAt: Date }): Promise<string>
  /**
   * The revision of a token that opens the customer's pages now: the current one or, of a link that was sent on the
   * tenant's request, the next one. Undefined for any other token.
   */
  opens(token: string, current: { customerId: Id<'tenant'>; revision: number; now: Date }): Promise<number | undefined>
}

const audience = 'onboarding'

export function createOnboardingLinks(signing: LinkSigning): OnboardingLinks {
  return {
    sign: ({ customerId, revision, expiresAt }) =>
      signLink(signing, { subject: customerId, audience, revision }, { claims: {}, expiresAt }),
    async opens(token, { customerId, revision, now }) {
      for (const each of [revision, revision + 1])
        if ((await verifyLink(signing, token, { subject: customerId, audience, revision: each, now })) !== undefined)
          return each
      return undefined
    },
  }
}
