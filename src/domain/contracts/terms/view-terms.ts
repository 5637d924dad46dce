import type { Database } from '../../../db/database.ts'
import type { DocumentFormat } from '../document-format.ts'
import type { DocumentRenderer, RenderedContract } from '../document-renderer.ts'
import type { OperatorFile } from '../operator.ts'
import { buildTermsDocument } from './terms-document.ts'
import { findTermsVersion } from './terms-versions.store.ts'

interface ViewTermsDependencies {
  db: Database
  documentRenderer: DocumentRenderer
  operator: OperatorFile
  realm: 'sandbox' | 'live'
}

/** Finds and renders a stored version of the terms. Undefined if there is no such version. */
export type ViewTerms = (version: string, format: DocumentFormat) => Promise<Buffer | undefined>

/**
 * The public pages of the terms. Anyone may read them at any rate, so each version is rendered once and kept; only versions that the
 * operator published take memory.
 */
export function createTermsView({ db, documentRenderer, operator, realm }: ViewTermsDependencies): ViewTerms {
  const rendered = new Map<string, RenderedContract>()
  return async (version, format) => {
    const known = rendered.get(version)
    if (known !== undefined) return known[format]
    const terms = await findTermsVersion(db, version)
    if (terms === undefined) return undefined
    const document = buildTermsDocument(terms, { operator, realm })
    const pages = await documentRenderer.render(document, {
      contractId: document.reference,
      acceptedAt: terms.storedAt,
    })
    rendered.set(version, pages)
    return pages[format]
  }
}
