import type { ContractDocument } from './document.ts'

export const documentFormats = ['html', 'pdf'] as const
export type DocumentFormat = (typeof documentFormats)[number]

/** A rendered document in some formats, by default in both. */
export type RenderedContract<Format extends DocumentFormat = DocumentFormat> = Record<Format, Buffer>

/** The document's id and time, for metadata. For terms, the version and the time when it was stored. */
export interface DocumentIdentity {
  contractId: string
  acceptedAt: Date
}

/** Renders a document as HTML and as PDF with the same content. The same input gives the same bytes. */
export interface DocumentRenderer {
  /**
   * Renders these formats when it is the caller's turn: a partner's id, or `terms` for the pages that anyone may read.
   * A contract's bytes are hashed and stored, and never rendered again. Throws `service_unavailable` if too many
   * documents are waiting.
   */
  render<Format extends DocumentFormat>(
    document: ContractDocument,
    identity: DocumentIdentity,
    options: { caller: string; formats: readonly Format[] },
  ): Promise<RenderedContract<Format>>
}
