import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { hashClientSecret, isClientSecret, newClientSecret } from '../domain/auth/client-secret.ts'
import { newClientId } from '../domain/auth/create-partner.ts'
import {
  findCredential,
  insertCredential,
  insertPartner,
  listClientIds,
  updateSecretHash,
} from '../domain/auth/partners.store.ts'
import { scopes } from '../domain/auth/scopes.ts'
import { findSetting, insertSetting, lockSettings } from '../domain/deployment/settings.store.ts'
import type { Clock } from '../domain/kernel/clock.ts'
import { newId } from '../domain/kernel/ids.ts'

/** What the operator is told of the sandbox's partner at a start. */
export interface SandboxCredentials {
  clientId: string
  /** Only where it was made in this start: shown once, kept as a hash. */
  newClientSecret: string | undefined
}

interface GivenCredentials {
  clientId: string | undefined
  clientSecret: string | undefined
}

const settingName = 'sandbox-partner-id'

/**
 * The sandbox's first partner and its credentials: made at first start, or as SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET say, also
 * when they say something else than last time. Several processes may start at once: one makes them, the others find them.
 */
export function ensureSandboxPartner(
  { db, clock }: { db: Database; clock: Clock },
  given: GivenCredentials,
): Promise<SandboxCredentials> {
  return inTransaction(db, {}, async (tx) => {
    await lockSettings(tx)
    const now = clock.now()
    const partnerId = (await findSetting(tx, settingName)) ?? (await makePartner(tx, now))
    const [firstClientId] = await listClientIds(tx, partnerId)
    const clientId = given.clientId ?? firstClientId ?? newClientId('sandbox')
    const present = await findCredential(tx, clientId)
    if (present === undefined) {
      const clientSecret = given.clientSecret ?? newClientSecret()
      const secretHash = await hashClientSecret(clientSecret)
      await insertCredential(tx, { clientId, partnerId, secretHash, scopes, now })
      return { clientId, newClientSecret: given.clientSecret === undefined ? clientSecret : undefined }
    }
    if (given.clientSecret !== undefined && !(await isClientSecret(given.clientSecret, present.secretHash))) {
      await updateSecretHash(tx, clientId, await hashClientSecret(given.clientSecret))
    }
    return { clientId, newClientSecret: undefined }
  })
}

async function makePartner(tx: Tx, now: Date): Promise<string> {
  const partnerId = newId('partner')
  await insertPartner(tx, { partnerId, name: 'Sandbox partner', now })
  await insertSetting(tx, settingName, partnerId)
  return partnerId
}
