import type { ContractDocument } from './document.ts'

/** A rendered document. Its bytes are hashed and stored, and never rendered again. */
export interface RenderedContract {
  html: Buffer
  pdf: Buffer
}

/** The contract's number and time, for metadata and page footers. */
export interface DocumentIdentity {
  contractId: string
  acceptedAt: Date
}

/** Port: renders a document as HTML and PDF with the same content. The same input gives the same bytes. */
export interface DocumentRenderer {
  render(document: ContractDocument, identity: DocumentIdentity): Promise<RenderedContract>
}
