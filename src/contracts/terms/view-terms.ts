import type { Database } from '../../platform/db/database.ts'
import {
  type DocumentFormat,
  type DocumentRenderer,
  documentFormats,
  type RenderedContract,
} from '../document-renderer.ts'
import type { OperatorFile } from '../operator-file.ts'
import { type AgreedTerms, termsOf } from './agreed-terms.ts'
import { buildTermsDocument } from './terms-document.ts'
import { findTermsVersion, insertTermsVersion } from './terms-versions.store.ts'

/** The current terms as stored, and whether the operator's file now says something else under the same version. */
interface StoredTerms {
  terms: AgreedTerms
  hasChanged: boolean
}

/**
 * At every start: stores the terms in the operator's file if their version is new. A stored version stays as it is,
 * because tenants may have agreed to it; the caller decides whether to start with a file that differs.
 */
export async function storeTerms({ db }: { db: Database }, operator: OperatorFile): Promise<StoredTerms> {
  const current = termsOf(operator)
  await insertTermsVersion(db, current)
  const terms = await findTermsVersion(db, current.version)
  if (terms === undefined) throw new Error('the terms could not be stored')
  return { terms, hasChanged: terms.sha256 !== current.sha256 }
}

interface ViewTermsDependencies {
  db: Database
  documentRenderer: DocumentRenderer
  operator: OperatorFile
  realm: 'sandbox' | 'live'
}

/** Finds and renders a stored version of the terms. Undefined if there is no such version. */
export type ViewTerms = (version: string, format: DocumentFormat) => Promise<Buffer | undefined>

/**
 * The public pages of the terms. Anyone may read them at any rate, so each version is rendered once and kept; only
 * versions that the operator published take memory.
 */
export function createTermsView({ db, documentRenderer, operator, realm }: ViewTermsDependencies): ViewTerms {
  const rendered = new Map<string, Promise<RenderedContract>>()
  return async (version, format) => {
    const known = rendered.get(version)
    if (known !== undefined) return (await known)[format]
    const terms = await findTermsVersion(db, version)
    if (terms === undefined) return undefined
    // Readers who arrive while a version is being rendered wait for the same pages.
    const pages = rendered.get(version) ?? renderTerms(terms)
    rendered.set(version, pages)
    pages.catch(() => rendered.delete(version))
    return (await pages)[format]
  }

  function renderTerms(terms: AgreedTerms & { storedAt: Date }): Promise<RenderedContract> {
    const document = buildTermsDocument(terms, { operator, realm })
    return documentRenderer.render(
      document,
      { contractId: document.reference, acceptedAt: terms.storedAt },
      { caller: 'terms', formats: documentFormats },
    )
  }
}
