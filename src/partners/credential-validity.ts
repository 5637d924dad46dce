import { createAddressFilter } from '../platform/kernel/address-filter.ts'
import type { Credential } from './partners.store.ts'

/** Whether the credentials have expired. */
export function hasCredentialExpired({ expiresAt }: Pick<Credential, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now
}

/** Whether the credentials get tokens: neither they nor their partner have come to an end. */
export function getsTokens(credential: Pick<Credential, 'expiresAt' | 'partnerDisabledAt'>, now: Date): boolean {
  return credential.partnerDisabledAt === null && !hasCredentialExpired(credential, now)
}

/**
 * The expiry in whole seconds, rounded up; infinity if there is none. Every call that uses the token also checks the
 * exact expiry.
 */
export function endOfCredential({ expiresAt }: Pick<Credential, 'expiresAt'>): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Math.ceil(expiresAt.getTime() / 1000)
}

/**
 * The hashes of every secret that is valid now: the current one and, during a rotation's overlap, the previous one.
 * Empty if an external identity provider keeps the secret.
 */
export function validSecretHashes(
  {
    secretHash,
    previousSecretHash,
    previousSecretUntil,
  }: Pick<Credential, 'secretHash' | 'previousSecretHash' | 'previousSecretUntil'>,
  now: Date,
): readonly string[] {
  if (secretHash === null) return []
  const overlaps = previousSecretHash !== null && previousSecretUntil !== null && now < previousSecretUntil
  return overlaps ? [secretHash, previousSecretHash] : [secretHash]
}

/** Whether the credentials may be used from this IP address. */
export function isAllowedFrom({ allowedFrom }: Pick<Credential, 'allowedFrom'>, address: string): boolean {
  return allowedFrom === null || createAddressFilter(allowedFrom)(address)
}

/** What a caller at another address is told. It does not list the allowed ones, because an attacker may be reading. */
export const wrongAddress =
  'These credentials cannot be used from this address. Call from an address that the operator allowed for them, or ask the operator to allow this one.'
