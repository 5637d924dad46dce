import type { FieldCipher } from './field-encryption.ts'
import type { Metadata } from './metadata.ts'

/** The metadata of a quote as it is stored: encrypted, or null if there is none. */
export function sealMetadata(cipher: FieldCipher, quoteId: string, metadata: Metadata): string | null {
  return Object.keys(metadata).length === 0 ? null : cipher.encrypt(JSON.stringify(metadata), locationOf(quoteId))
}

/** The metadata of a quote. Throws `DecryptionError` if the value belongs to another quote. */
export function openMetadata(cipher: FieldCipher, quoteId: string, encrypted: string | null): Metadata {
  return encrypted === null ? {} : JSON.parse(cipher.decrypt(encrypted, locationOf(quoteId)).toString('utf8'))
}

function locationOf(quoteId: string) {
  return { column: 'quotes.metadata', row: quoteId }
}
