import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { hashClientSecret, newClientSecret } from '../client-secret.ts'
import {
  findOperatorCredential,
  insertOperatorCredential,
  listOperatorCredentials,
  markOperatorDisabled,
  type OperatorCredential,
  updateOperatorAllowedFrom,
  updateOperatorSecret,
} from './operator-credentials.store.ts'
import type { OperatorScope } from './operator-scopes.ts'

interface Dependencies {
  db: Database
  clock: Clock
}

/** What new credentials may do. */
export interface NewOperatorCredential {
  name: string
  scopes: readonly OperatorScope[]
  /** If absent, the credentials do not expire. */
  lifetimeSeconds?: number | undefined
  /** The addresses and CIDR ranges from which they may be used. If absent, from anywhere. */
  allowedFrom?: readonly string[] | undefined
}

/**
 * `housebill operator create`: makes credentials for one program of the operator's. The secret is returned only here.
 */
export async function createOperatorCredential(
  { db, clock }: Dependencies,
  { name, scopes, lifetimeSeconds, allowedFrom }: NewOperatorCredential,
): Promise<{ clientId: string; clientSecret: string; expiresAt: Date | null }> {
  const now = clock.now()
  const clientId = `op_${randomBytes(12).toString('hex')}`
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  const expiresAt = lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1_000)
  await insertOperatorCredential(db, {
    ...{ clientId, name, secretHash, scopes },
    ...{ createdAt: now, expiresAt, allowedFrom: allowedFrom ?? null },
  })
  return { clientId, clientSecret, expiresAt }
}

/**
 * `housebill operator allow-from`: sets from where credentials and their tokens may be used; null allows every address.
 * Takes effect at once. Returns false for an unknown or disabled client id.
 */
export function setOperatorAllowedFrom(
  { db }: Pick<Dependencies, 'db'>,
  clientId: string,
  allowedFrom: readonly string[] | null,
): Promise<boolean> {
  return updateOperatorAllowedFrom(db, clientId, allowedFrom)
}

/**
 * `housebill operator rotate`: sets a new secret. The old one works for `overlapSeconds` more, or stops at once if that
 * is 0. If `endsTokens`, every token issued until now is rejected from now on. Returns undefined for an unknown or
 * disabled client id.
 */
export async function rotateOperatorSecret(
  { db, clock }: Dependencies,
  { clientId, overlapSeconds, endsTokens }: { clientId: string; overlapSeconds: number; endsTokens: boolean },
): Promise<{ clientSecret: string; previousSecretUntil: Date | null } | undefined> {
  const present = await findOperatorCredential(db, clientId)
  if (present === undefined) return undefined
  const clientSecret = newClientSecret()
  const previousUntil = overlapSeconds > 0 ? new Date(clock.now().getTime() + overlapSeconds * 1_000) : null
  const secretHash = hashClientSecret(clientSecret)
  if (!(await updateOperatorSecret(db, clientId, { secretHash, previousUntil, endsTokens }))) return undefined
  return { clientSecret, previousSecretUntil: previousUntil }
}

/**
 * `housebill operator disable`: ends credentials and their tokens at once and for ever. Returns false for an unknown
 * client id.
 */
export function disableOperatorCredential({ db, clock }: Dependencies, clientId: string): Promise<boolean> {
  return markOperatorDisabled(db, clientId, clock.now())
}

/** Credentials as they may be shown: without secrets and hashes. */
export type ListedOperator = Pick<
  OperatorCredential,
  | 'clientId'
  | 'name'
  | 'scopes'
  | 'createdAt'
  | 'expiresAt'
  | 'allowedFrom'
  | 'lastTokenOn'
  | 'previousSecretUntil'
  | 'disabledAt'
>

/** `housebill operator list`: every credential, oldest first. */
export async function listOperators({ db }: Pick<Dependencies, 'db'>): Promise<ListedOperator[]> {
  return (await listOperatorCredentials(db)).map(
    ({ secretHash: _, previousSecretHash: __, tokenGeneration: ___, ...shown }) => shown,
  )
}
