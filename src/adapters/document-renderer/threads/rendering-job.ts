import type { ContractDocument } from '../../../domain/contracts/document.ts'
import type { DocumentIdentity } from '../../../domain/contracts/document-renderer.ts'

/** What a rendering thread receives. Both parts are plain data, so they can be copied between threads. */
export interface RenderingJob {
  document: ContractDocument
  identity: DocumentIdentity
}

/** What a rendering thread sends back: both files, or the error that the renderer threw. */
export type RenderingResult = { html: Uint8Array<ArrayBuffer>; pdf: Uint8Array<ArrayBuffer> } | { error: unknown }
