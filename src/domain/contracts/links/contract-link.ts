import { errors, jwtVerify, SignJWT } from 'jose'
import type { Id } from '../../../kernel/ids.ts'
import { hasPossibleLifetime } from '../../../kernel/token-lifetime.ts'
import { isCanonicalToken } from '../../../kernel/token-spelling.ts'
import type { DocumentFormat } from '../document-format.ts'

/** The document that a link opens. */
interface LinkedDocument {
  customerId: Id<'tenant'>
  contractNumber: string
  format: DocumentFormat
}

/**
 * Creates and verifies the tokens that open one contract document without other credentials
 * (docs/api-behaviour.md#contract-documents).
 */
export interface ContractLinks {
  /** A token for one document, valid until `expiresAt` on the partner's clock. */
  sign(document: LinkedDocument & { expiresAt: Date }): Promise<string>
  /** The number of the contract whose document the token currently opens; undefined if it does not open this document. */
  opens(token: string, document: Omit<LinkedDocument, 'contractNumber'> & { now: Date }): Promise<string | undefined>
}

const algorithm = 'HS256'

/** `longestLifetimeSeconds` is how long a new link works. A link that lasts longer opens nothing, even if it is signed correctly. */
export function createContractLinks(key: Buffer, longestLifetimeSeconds: number): ContractLinks {
  return {
    sign: ({ customerId, contractNumber, format, expiresAt }) =>
      new SignJWT({ contract: contractNumber })
        .setProtectedHeader({ alg: algorithm })
        .setSubject(customerId)
        .setAudience(format)
        .setIssuedAt(Math.floor(expiresAt.getTime() / 1000) - longestLifetimeSeconds)
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
        .sign(key),
    async opens(token, { customerId, format, now }) {
      if (!isCanonicalToken(token)) return undefined
      try {
        const { payload } = await jwtVerify<{ contract?: string }>(token, key, {
          algorithms: [algorithm],
          subject: customerId,
          audience: format,
          requiredClaims: ['exp', 'sub', 'aud'],
          currentDate: now,
        })
        if (!hasPossibleLifetime(payload, { longestLifetimeSeconds, now })) return undefined
        // A link from before contracts had numbers of their own: the customer's id is the number of that contract.
        return payload.contract ?? customerId
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
