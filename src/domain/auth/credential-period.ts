import type { Credential } from './partners.store.ts'

/** Whether credentials that were made for a time have outlived it. */
export function hasEnded({ expiresAt }: Pick<Credential, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Hashes of the secrets that are taken: the secret, and the one before it while a rotation's overlap lasts. None where it is kept elsewhere. */
export function secretHashesAt(
  { secretHash, previousSecretHash, previousSecretUntil }: Credential,
  now: Date,
): readonly string[] {
  if (secretHash === null) return []
  const overlaps = previousSecretHash !== null && previousSecretUntil !== null && now < previousSecretUntil
  return overlaps ? [secretHash, previousSecretHash] : [secretHash]
}
