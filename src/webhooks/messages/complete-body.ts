import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { openReference } from '../../quoting/quotes/references/reference.ts'

/** A message as it is stored: its body has null in place of the quote's reference. */
export interface StoredBody {
  quoteId: Id<'quote'> | null
  body: string
  referenceEncrypted: string | null
}

/**
 * The body that is sent: with the quote's reference, unless it has none. The members before it contain only values that
 * we generate, so the first match is the member. Throws `DecryptionError`.
 */
export function completeBody(cipher: FieldCipher, { quoteId, body, referenceEncrypted }: StoredBody): string {
  const reference = quoteId === null ? null : openReference(cipher, quoteId, referenceEncrypted)
  return reference === null ? body : body.replace('"reference":null', () => `"reference":${JSON.stringify(reference)}`)
}
