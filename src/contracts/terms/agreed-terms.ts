import { createHash } from 'node:crypto'
import type { OperatorFile } from '../operator-file.ts'
import type { EarlyExitTerms, LatePaymentTerms } from './fee-terms.ts'

/** A version of the terms as it is stored. Neither its text nor its hash ever changes. */
export interface TermsVersion {
  version: string
  /** Everything a tenant agrees to under this version, as JSON with sorted keys. */
  text: string
  /** SHA-256 of the text, in hex. */
  sha256: string
}

/** A stored version with its content. */
export interface AgreedTerms extends TermsVersion {
  /** The operator's own words. */
  words: OperatorFile['terms']
  /** Absent if the operator has defined no early exit. */
  earlyExit?: EarlyExitTerms
  /** Absent if the operator has defined no late payment. */
  latePayment?: LatePaymentTerms
}

/** The version of the terms in the operator's file. */
export function termsOf({ terms, earlyExit, latePayment }: OperatorFile): TermsVersion {
  const text = JSON.stringify({ words: terms, earlyExit, latePayment }, sortedKeys)
  return { version: terms.version, text, sha256: createHash('sha256').update(text).digest('hex') }
}

/** Reads the content of a stored version. */
export function readTerms(stored: TermsVersion): AgreedTerms {
  const content = JSON.parse(stored.text) as Pick<AgreedTerms, 'words' | 'earlyExit' | 'latePayment'>
  return { ...stored, ...content }
}

/** Sorts the keys of objects, so that a file with its members in another order has the same text. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
