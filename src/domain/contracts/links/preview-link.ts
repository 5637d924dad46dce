import { errors, jwtVerify, SignJWT } from 'jose'
import type { Id } from '../../../kernel/ids.ts'
import { hasPossibleLifetime } from '../../../kernel/token-lifetime.ts'
import { isCanonicalToken } from '../../../kernel/token-spelling.ts'
import type { DocumentFormat } from '../document-format.ts'

/** A preview that a link opens, as long as the terms have this hash. */
interface LinkedPreview {
  customerId: Id<'tenant'>
  format: DocumentFormat
  documentHash: string
}

/** Creates and verifies the tokens that open a preview without other credentials (docs/api-behaviour.md#previews). */
export interface PreviewLinks {
  /** A token for one preview, valid until `expiresAt` on the partner's clock. */
  sign(preview: LinkedPreview & { expiresAt: Date }): Promise<string>
  /** The hash that the token was made for; undefined if it does not open a preview of this customer in this format. */
  opens(token: string, preview: Omit<LinkedPreview, 'documentHash'> & { now: Date }): Promise<string | undefined>
}

const algorithm = 'HS256'

/** A preview's audience differs from those of contracts, so that neither link opens the other. */
const audienceOf = (format: DocumentFormat) => `preview-${format}`

/** `longestLifetimeSeconds` is how long a new link works. A link that lasts longer opens nothing, even if it is signed correctly. */
export function createPreviewLinks(key: Buffer, longestLifetimeSeconds: number): PreviewLinks {
  return {
    sign: ({ customerId, format, documentHash, expiresAt }) =>
      new SignJWT({ hash: documentHash })
        .setProtectedHeader({ alg: algorithm })
        .setSubject(customerId)
        .setAudience(audienceOf(format))
        .setIssuedAt(Math.floor(expiresAt.getTime() / 1000) - longestLifetimeSeconds)
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
        .sign(key),
    async opens(token, { customerId, format, now }) {
      if (!isCanonicalToken(token)) return undefined
      try {
        const { payload } = await jwtVerify<{ hash: string }>(token, key, {
          algorithms: [algorithm],
          subject: customerId,
          audience: audienceOf(format),
          requiredClaims: ['exp', 'sub', 'aud', 'hash'],
          currentDate: now,
        })
        return hasPossibleLifetime(payload, { longestLifetimeSeconds, now }) ? payload.hash : undefined
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
