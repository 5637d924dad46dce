import type { ContractDocument } from '../../../domain/contracts/document.ts'
import type { DocumentFormat } from '../../../domain/contracts/document-format.ts'
import type { DocumentIdentity } from '../../../domain/contracts/document-renderer.ts'

/** What a rendering thread receives. Both parts are plain data, so they can be copied between threads. */
export interface RenderingJob {
  document: ContractDocument
  identity: DocumentIdentity
  formats: readonly DocumentFormat[]
}

/** What a rendering thread sends back: a file for each format, or the error that the renderer threw. */
export type RenderingResult = { files: Uint8Array<ArrayBuffer>[] } | { error: unknown }
