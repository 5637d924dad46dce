import { errors, jwtVerify, SignJWT } from 'jose'
import type { Id } from '../../kernel/ids.ts'
import { isCanonicalToken } from '../../kernel/token-spelling.ts'
import type { DocumentFormat } from './document-format.ts'

/**
 * Creates and verifies the tokens that open one contract document without other credentials
 * (docs/api-behaviour.md#contract-documents).
 */
export interface ContractLinks {
  /** A token for one document, valid until `expiresAt` on the partner's clock. */
  sign(document: { customerId: Id<'tenant'>; format: DocumentFormat; expiresAt: Date }): Promise<string>
  /** Whether the token currently opens this document. */
  opens(token: string, document: { customerId: Id<'tenant'>; format: DocumentFormat; now: Date }): Promise<boolean>
}

const algorithm = 'HS256'

export function createContractLinks(key: Buffer): ContractLinks {
  return {
    sign: ({ customerId, format, expiresAt }) =>
      new SignJWT()
        .setProtectedHeader({ alg: algorithm })
        .setSubject(customerId)
        .setAudience(format)
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
        .sign(key),
    async opens(token, { customerId, format, now }) {
      if (!isCanonicalToken(token)) return false
      try {
        await jwtVerify(token, key, {
          algorithms: [algorithm],
          subject: customerId,
          audience: format,
          requiredClaims: ['exp', 'sub', 'aud'],
          currentDate: now,
        })
        return true
      } catch (error) {
        if (error instanceof errors.JOSEError) return false
        throw error
      }
    },
  }
}
