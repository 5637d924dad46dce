import { hashClientSecret, matchesClientSecret, newClientId, newClientSecret } from '../../partners/client-secret.ts'
import type { Sealer } from '../../partners/credential-seal.ts'
import {
  findCredential,
  insertCredential,
  insertPartner,
  listClientIds,
  updateSecretHash,
} from '../../partners/partners.store.ts'
import { scopes } from '../../partners/scopes.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { type Id, isId, newId } from '../../platform/kernel/ids.ts'
import { findSetting, insertSetting, lockSettings } from '../../platform/keys/key-ring.store.ts'

/** The credentials of the sandbox's partner, as shown to the operator at start. */
export interface SandboxCredentials {
  /** Undefined if an external identity provider has the credentials and no client id was configured. */
  clientId: string | undefined
  /** Set only if the secret was created at this start. It is shown once and stored as a hash. */
  newClientSecret: string | undefined
}

interface GivenCredentials {
  clientId: string | undefined
  clientSecret: string | undefined
  /** Whether an external identity provider keeps the secrets. If so, we never see them. */
  secretsAreExternal: boolean
}

const settingName = 'sandbox-partner-id'

/**
 * Ensures that the sandbox's first partner and its credentials exist: generated on first start, or taken from
 * SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET, even if those have changed. With an external identity provider, only
 * registers the client id. If several processes start at the same time, one creates them and the others find them.
 */
export function ensureSandboxPartner(
  { db, clock, cipher }: { db: Database; clock: Clock; cipher: Sealer },
  given: GivenCredentials,
): Promise<SandboxCredentials> {
  return inTransaction(db, {}, async (tx) => {
    await lockSettings(tx)
    const now = clock.now()
    const known = await findSetting(tx, settingName)
    const partnerId = known !== undefined && isId('partner', known) ? known : await createPartner(tx, now)
    if (given.secretsAreExternal) return registerClientId(tx, cipher, { clientId: given.clientId, partnerId, now })
    const [firstClientId] = await listClientIds(tx, partnerId)
    const clientId = given.clientId ?? firstClientId ?? newClientId('sandbox')
    const present = await findCredential(tx, cipher, clientId)
    const presentHash = present?.secretHash ?? null
    if (present !== undefined && presentHash !== null) {
      if (given.clientSecret !== undefined && !matchesClientSecret(given.clientSecret, presentHash)) {
        await updateSecretHash(tx, cipher, present, hashClientSecret(given.clientSecret))
      }
      return { clientId, newClientSecret: undefined }
    }
    const clientSecret = given.clientSecret ?? newClientSecret()
    const secretHash = hashClientSecret(clientSecret)
    // A credential without a secret was created with an external identity provider; one without our seal by others.
    const isStored = await updateSecretHash(
      tx,
      cipher,
      present ?? { clientId, partnerId, scopes: [...scopes], secretHash: null },
      secretHash,
    )
    if (!isStored) await insertCredential(tx, cipher, { clientId, partnerId, secretHash, scopes, now })
    return { clientId, newClientSecret: given.clientSecret === undefined ? clientSecret : undefined }
  })
}

async function registerClientId(
  tx: Tx,
  sealer: Sealer,
  { clientId, partnerId, now }: { clientId: string | undefined; partnerId: Id<'partner'>; now: Date },
): Promise<SandboxCredentials> {
  if (clientId !== undefined && (await findCredential(tx, sealer, clientId)) === undefined) {
    await insertCredential(tx, sealer, { clientId, partnerId, secretHash: null, scopes, now })
  }
  return { clientId, newClientSecret: undefined }
}

async function createPartner(tx: Tx, now: Date): Promise<Id<'partner'>> {
  const partnerId = newId('partner')
  await insertPartner(tx, { partnerId, name: 'Sandbox partner', now })
  await insertSetting(tx, settingName, partnerId)
  return partnerId
}
