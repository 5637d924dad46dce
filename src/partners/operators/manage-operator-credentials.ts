import { randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { hashClientSecret, newClientSecret } from '../client-secret.ts'
import type { Sealer } from '../credential-seal.ts'
import {
  insertOperatorCredential,
  listOperatorCredentials,
  markOperatorDisabled,
  type OperatorCredential,
} from './operator-credentials.store.ts'
import type { OperatorScope } from './operator-scopes.ts'

interface Dependencies {
  db: Database
  cipher: Sealer
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
  { db, clock, cipher }: Dependencies,
  { name, scopes, lifetimeSeconds, allowedFrom }: NewOperatorCredential,
): Promise<{ clientId: string; clientSecret: string; expiresAt: Date | null }> {
  const now = clock.now()
  const clientId = `op_${randomBytes(12).toString('hex')}`
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  const expiresAt = lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1_000)
  await insertOperatorCredential(db, cipher, {
    ...{ clientId, name, secretHash, scopes },
    ...{ createdAt: now, expiresAt, allowedFrom: allowedFrom ?? null },
  })
  return { clientId, clientSecret, expiresAt }
}

/**
 * `housebill operator disable`: ends credentials and their tokens at once and for ever. Returns false for an unknown
 * client id.
 */
export function disableOperatorCredential(
  { db, clock }: Omit<Dependencies, 'cipher'>,
  clientId: string,
): Promise<boolean> {
  return markOperatorDisabled(db, clientId, clock.now())
}

/** Credentials as they may be shown: without secrets and hashes. */
export type ListedOperator = Pick<
  OperatorCredential,
  'clientId' | 'name' | 'scopes' | 'createdAt' | 'expiresAt' | 'allowedFrom' | 'lastTokenOn' | 'disabledAt'
>

/** `housebill operator list`: every credential, oldest first. */
export async function listOperators({ db }: Pick<Dependencies, 'db'>): Promise<ListedOperator[]> {
  return (await listOperatorCredentials(db)).map(({ secretHash: _, ...shown }) => shown)
}
