import type { FieldCipher } from '../platform/kernel/field-encryption.ts'

/** Makes and checks seals: a hash with a key of the deployment that the database has only encrypted. */
export type Sealer = Pick<FieldCipher, 'hash' | 'hashes'>

/** What decides what credentials open: who may use them, and for what. */
export interface SealedCredential {
  clientId: string
  /** Null for credentials of the operator's. */
  partnerId: string | null
  scopes: readonly string[]
  secretHash: string | null
  previousSecretHash?: string | null
}

function textOf({ clientId, partnerId, scopes, secretHash, previousSecretHash = null }: SealedCredential): string {
  return JSON.stringify(['credential', clientId, partnerId, [...scopes].sort(), secretHash, previousSecretHash])
}

/**
 * The seal that is stored with credentials. Without the deployment's keys nobody can make one: who can write to the
 * database can add and change credentials, but none that opens anything.
 */
export function sealOf(sealer: Sealer, credential: SealedCredential): string {
  return sealer.hash(textOf(credential))
}

/** Whether this service sealed the credentials as they are, with any key that seals were made with. */
export function isSealed(sealer: Sealer, credential: SealedCredential & { seal: string }): boolean {
  return sealer.hashes(textOf(credential)).includes(credential.seal)
}
