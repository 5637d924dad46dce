import type { Database } from '../../platform/db/database.ts'
import type { OperatorFile } from '../operator-file.ts'
import { type AgreedTerms, termsOf } from './agreed-terms.ts'
import { findTermsVersion, insertTermsVersion } from './terms-versions.store.ts'

/** The current terms as stored, and whether the operator's file now says something else under the same version. */
export interface StoredTerms {
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
