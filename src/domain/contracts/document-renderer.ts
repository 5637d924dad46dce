import type { ContractDocument } from './document.ts'

/** A rendered document. Its bytes are hashed and stored, and it is never rendered again. */
export interface RenderedContract {
  html: Buffer
  pdf: Buffer
}

/** The document's id and time, for metadata. For terms, the version and the time when it was stored. */
export interface DocumentIdentity {
  contractId: string
  acceptedAt: Date
}

/** Renders a document as HTML and as PDF with the same content. The same input gives the same bytes. */
export interface DocumentRenderer {
  /**
   * Renders when it is the caller's turn: a partner's id, or `terms` for the pages that anyone may read. Throws `service_unavailable` if too
   * many documents are waiting.
   */
  render(document: ContractDocument, identity: DocumentIdentity, caller: string): Promise<RenderedContract>
}
