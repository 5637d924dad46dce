import { randomBytes } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { hashClientSecret, newClientSecret } from '../auth/client-secret.ts'
import {
  findOperatorCredential,
  insertOperatorCredential,
  listOperatorCredentials,
  markOperatorDisabled,
  type OperatorCredential,
  updateOperatorSecret,
} from './operator-credentials.store.ts'
import type { OperatorScope } from './operator-scopes.ts'

interface Dependencies {
  system: Database
  clock: Clock
}

/** `housebill operator create`: makes credentials for one program of the operator's. The secret is returned only here. */
export async function createOperatorCredential(
  { system, clock }: Dependencies,
  { name, scopes }: { name: string; scopes: readonly OperatorScope[] },
): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = `op_${randomBytes(12).toString('hex')}`
  const clientSecret = newClientSecret()
  const secretHash = hashClientSecret(clientSecret)
  await insertOperatorCredential(system, { clientId, name, secretHash, scopes, now: clock.now() })
  return { clientId, clientSecret }
}

/**
 * `housebill operator rotate`: sets a new secret. The old one works for `overlapSeconds` more, or stops at once if that is 0. If
 * `endsTokens`, every token issued until now is rejected from now on. Returns undefined for an unknown or disabled client id.
 */
export async function rotateOperatorSecret(
  { system, clock }: Dependencies,
  { clientId, overlapSeconds, endsTokens }: { clientId: string; overlapSeconds: number; endsTokens: boolean },
): Promise<{ clientSecret: string; previousSecretUntil: Date | null } | undefined> {
  const present = await findOperatorCredential(system, clientId)
  if (present === undefined) return undefined
  const clientSecret = newClientSecret()
  const previousUntil = overlapSeconds > 0 ? new Date(clock.now().getTime() + overlapSeconds * 1_000) : null
  const secretHash = hashClientSecret(clientSecret)
  if (!(await updateOperatorSecret(system, clientId, { secretHash, previousUntil, endsTokens }))) return undefined
  return { clientSecret, previousSecretUntil: previousUntil }
}

/** `housebill operator disable`: ends credentials and their tokens at once and for ever. Returns false for an unknown client id. */
export function disableOperatorCredential({ system, clock }: Dependencies, clientId: string): Promise<boolean> {
  return markOperatorDisabled(system, clientId, clock.now())
}

/** Credentials as they may be shown: without secrets and hashes. */
export type ListedOperator = Pick<
  OperatorCredential,
  'clientId' | 'name' | 'scopes' | 'createdAt' | 'lastTokenOn' | 'previousSecretUntil' | 'disabledAt'
>

/** `housebill operator list`: every credential, oldest first. */
export async function listOperators({ system }: Pick<Dependencies, 'system'>): Promise<ListedOperator[]> {
  return (await listOperatorCredentials(system)).map(
    ({ clientId, name, scopes, createdAt, lastTokenOn, previousSecretUntil, disabledAt }) => ({
      clientId,
      name,
      scopes,
      createdAt,
      lastTokenOn,
      previousSecretUntil,
      disabledAt,
    }),
  )
}
