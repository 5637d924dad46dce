import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/**
 * A quote's reference as it is stored: encrypted, with a hash by which it is found. Both are null if the quote has
 * none.
 */
export interface StoredReference {
  encrypted: string | null
  hash: string | null
}

interface GivenReference {
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  reference: string | null
}

export function sealReference(cipher: FieldCipher, { partnerId, quoteId, reference }: GivenReference): StoredReference {
  if (reference === null) return { encrypted: null, hash: null }
  return {
    encrypted: cipher.encrypt(reference, locationOf(quoteId)),
    hash: referenceHash(cipher, partnerId, reference),
  }
}

/** The reference of the quote; null if it has none. Throws `DecryptionError` if the value belongs to another quote. */
export function openReference(cipher: FieldCipher, quoteId: string, encrypted: string): string
export function openReference(cipher: FieldCipher, quoteId: string, encrypted: string | null): string | null
export function openReference(cipher: FieldCipher, quoteId: string, encrypted: string | null): string | null {
  return encrypted === null ? null : cipher.decrypt(encrypted, locationOf(quoteId)).toString('utf8')
}

/**
 * The keyed hash by which the partner's quotes with this reference are found. It cannot be compared with another
 * partner's or an e-mail's.
 */
function referenceHash(cipher: FieldCipher, partnerId: string, reference: string): string {
  return cipher.hash(hashedText(partnerId, reference))
}

/** Every hash under which the reference may be stored: during a replacement of the key, there are two. */
export function referenceHashes(cipher: FieldCipher, partnerId: string, reference: string): string[] {
  return cipher.hashes(hashedText(partnerId, reference))
}

function hashedText(partnerId: string, reference: string): string {
  return `quotes.reference\0${partnerId}\0${reference}`
}

function locationOf(quoteId: string) {
  return { column: 'quotes.reference', row: quoteId }
}
