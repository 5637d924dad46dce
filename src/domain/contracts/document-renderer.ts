import type { ContractDocument } from './document.ts'

/** A finished document. The bytes are final: they are hashed, stored and never rendered again. */
export interface RenderedContract {
  html: Buffer
  pdf: Buffer
}

/** Which contract a document is, and when it was made: for its metadata and its page feet. */
export interface DocumentIdentity {
  contractId: string
  acceptedAt: Date
}

/** Port: puts a document into its two forms, with the same content. The same input gives the same bytes. */
export interface DocumentRenderer {
  render(document: ContractDocument, identity: DocumentIdentity): Promise<RenderedContract>
}
