import type { Credential } from './partners.store.ts'

/** Whether the credentials have expired. */
export function hasCredentialExpired({ expiresAt }: Pick<Credential, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now
}

/**
 * The hashes of every secret that is valid now: the current one and, during a rotation's overlap, the previous one. Empty if an
 * external identity provider keeps the secret.
 */
export function validSecretHashes(
  { secretHash, previousSecretHash, previousSecretUntil }: Credential,
  now: Date,
): readonly string[] {
  if (secretHash === null) return []
  const overlaps = previousSecretHash !== null && previousSecretUntil !== null && now < previousSecretUntil
  return overlaps ? [secretHash, previousSecretHash] : [secretHash]
}
