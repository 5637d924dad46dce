import { createHash } from 'node:crypto'
import type { OperatorFile } from './operator.ts'

/** A version of the operator's terms, and the hash of their text. */
export interface TermsText {
  version: string
  sha256: string
}

export function termsTextOf({ terms }: Pick<OperatorFile, 'terms'>): TermsText {
  return { version: terms.version, sha256: createHash('sha256').update(JSON.stringify(terms)).digest('hex') }
}
