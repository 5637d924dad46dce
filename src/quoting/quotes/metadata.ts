import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'

/**
 * What a partner keeps with a quote or a tenant: its own keys and values. We store it encrypted, return it, and never
 * read it.
 */
export type Metadata = Readonly<Record<string, string>>

/** The limits of what a partner can keep with one quote or tenant. */
export const metadataLimits = { keys: 20, keyLength: 40, valueLength: 500 } as const

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
