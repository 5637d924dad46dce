import type { Id } from '../../platform/kernel/ids.ts'
import type { DocumentFormat } from '../document-renderer.ts'
import { type LinkSigning, signLink, verifyLink } from './link-token.ts'

/** The document that a link opens. */
interface LinkedDocument {
  customerId: Id<'tenant'>
  contractNumber: string
  format: DocumentFormat
  /** How often the customer's links were revoked. */
  revision: number
}

/**
 * Creates and verifies the tokens that open one contract document without other credentials
 * (docs/api-behaviour.md#contract-documents).
 */
export interface ContractLinks {
  /** A token for one document, valid until `expiresAt` on the partner's clock. */
  sign(document: LinkedDocument & { expiresAt: Date }): Promise<string>
  /**
   * The number of the contract whose document the token currently opens; undefined if it does not open this document.
   */
  opens(token: string, document: Omit<LinkedDocument, 'contractNumber'> & { now: Date }): Promise<string | undefined>
}

export function createContractLinks(signing: LinkSigning): ContractLinks {
  return {
    sign: ({ customerId, contractNumber, format, revision, expiresAt }) =>
      signLink(
        signing,
        { subject: customerId, audience: format, revision },
        { claims: { contract: contractNumber }, expiresAt },
      ),
    async opens(token, { customerId, format, revision, now }) {
      const claims = await verifyLink<{ contract?: string }>(signing, token, {
        subject: customerId,
        audience: format,
        revision,
        now,
      })
      // A link from before contracts had numbers of their own: the customer's id is the number of that contract.
      return claims === undefined ? undefined : (claims.contract ?? customerId)
    },
  }
}

/** A preview that a link opens, as long as the terms have this hash. */
interface LinkedPreview {
  customerId: Id<'tenant'>
  format: DocumentFormat
  documentHash: string
  /** How often the customer's links were revoked. */
  revision: number
}

/** Creates and verifies the tokens that open a preview without other credentials (docs/api-behaviour.md#previews). */
export interface PreviewLinks {
  /** A token for one preview, valid until `expiresAt` on the partner's clock. */
  sign(preview: LinkedPreview & { expiresAt: Date }): Promise<string>
  /** The hash that the token was made for; undefined if it does not open a preview of this customer in this format. */
  opens(token: string, preview: Omit<LinkedPreview, 'documentHash'> & { now: Date }): Promise<string | undefined>
}

/** A preview's audience differs from those of contracts, so that neither link opens the other. */
const audienceOf = (format: DocumentFormat) => `preview-${format}`

export function createPreviewLinks(signing: LinkSigning): PreviewLinks {
  return {
    sign: ({ customerId, format, documentHash, revision, expiresAt }) =>
      signLink(
        signing,
        { subject: customerId, audience: audienceOf(format), revision },
        { claims: { hash: documentHash }, expiresAt },
      ),
    async opens(token, { customerId, format, revision, now }) {
      const target = { subject: customerId, audience: audienceOf(format), revision, now }
      return (await verifyLink<{ hash?: string }>(signing, token, target))?.hash
    },
  }
}
