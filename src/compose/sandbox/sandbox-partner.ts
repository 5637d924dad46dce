import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { newClientId } from '../../domain/auth/client-id.ts'
import { hashClientSecret, isClientSecret, newClientSecret } from '../../domain/auth/client-secret.ts'
import {
  findCredential,
  insertCredential,
  insertPartner,
  listClientIds,
  updateSecretHash,
} from '../../domain/auth/partners.store.ts'
import { scopes } from '../../domain/auth/scopes.ts'
import { findSetting, insertSetting, lockSettings } from '../../domain/deployment/settings.store.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, newId } from '../../kernel/ids.ts'

/** What the operator is told of the sandbox's partner at a start. */
export interface SandboxCredentials {
  /** Undefined where an external identity provider has the credentials and none of its client ids was named. */
  clientId: string | undefined
  /** Only where it was made in this start: shown once, kept as a hash. */
  newClientSecret: string | undefined
}

interface GivenCredentials {
  clientId: string | undefined
  clientSecret: string | undefined
  /** Whether an external identity provider keeps the secrets. They never come here then. */
  secretsAreOutside: boolean
}

const settingName = 'sandbox-partner-id'

/**
 * The sandbox's first partner and its credentials: made at first start, or as SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET say, also
 * when they say something else than last time. With an external identity provider only the client id it is named by is registered.
 * Several processes may start at once: one makes them, the others find them.
 */
export function ensureSandboxPartner(
  { db, clock }: { db: Database; clock: Clock },
  given: GivenCredentials,
): Promise<SandboxCredentials> {
  return inTransaction(db, {}, async (tx) => {
    await lockSettings(tx)
    const now = clock.now()
    const known = await findSetting(tx, settingName)
    const partnerId = known !== undefined && isId('partner', known) ? known : await makePartner(tx, now)
    if (given.secretsAreOutside) return registerClientId(tx, given.clientId, partnerId, now)
    const [firstClientId] = await listClientIds(tx, partnerId)
    const clientId = given.clientId ?? firstClientId ?? newClientId('sandbox')
    const present = await findCredential(tx, clientId)
    const presentHash = present?.secretHash ?? undefined
    if (presentHash !== undefined) {
      if (given.clientSecret !== undefined && !(await isClientSecret(given.clientSecret, presentHash))) {
        await updateSecretHash(tx, clientId, await hashClientSecret(given.clientSecret))
      }
      return { clientId, newClientSecret: undefined }
    }
    const clientSecret = given.clientSecret ?? newClientSecret()
    const secretHash = await hashClientSecret(clientSecret)
    // One that is there without a secret comes from a time with an external identity provider.
    if (present === undefined) await insertCredential(tx, { clientId, partnerId, secretHash, scopes, now })
    else await updateSecretHash(tx, clientId, secretHash)
    return { clientId, newClientSecret: given.clientSecret === undefined ? clientSecret : undefined }
  })
}

async function registerClientId(
  tx: Tx,
  clientId: string | undefined,
  partnerId: Id<'partner'>,
  now: Date,
): Promise<SandboxCredentials> {
  if (clientId !== undefined && (await findCredential(tx, clientId)) === undefined) {
    await insertCredential(tx, { clientId, partnerId, secretHash: null, scopes, now })
  }
  return { clientId, newClientSecret: undefined }
}

async function makePartner(tx: Tx, now: Date): Promise<Id<'partner'>> {
  const partnerId = newId('partner')
  await insertPartner(tx, { partnerId, name: 'Sandbox partner', now })
  await insertSetting(tx, settingName, partnerId)
  return partnerId
}
