import { type Database, inTransaction } from '../db/database.ts'
import { hashClientSecret, isClientSecret, newClientSecret } from '../domain/auth/client-secret.ts'
import { createPartner, type IssuedCredentials } from '../domain/auth/create-partner.ts'
import { findCredential, insertCredential, updateSecretHash } from '../domain/auth/partners.store.ts'
import { scopes } from '../domain/auth/scopes.ts'
import { findSetting, insertSetting } from '../domain/deployment/settings.store.ts'
import type { Clock } from '../domain/kernel/clock.ts'

const settingName = 'sandbox-partner-id'

/** What to tell the operator: credentials that were made or set in this start, or nothing new. */
export type SandboxCredentials = Partial<IssuedCredentials> & { clientId?: string }

/**
 * The sandbox's first partner. At first start its credentials are made (or taken from SANDBOX_CLIENT_ID and
 * SANDBOX_CLIENT_SECRET) and returned once; later starts return them only where the environment sets others. Of several
 * processes starting at once one makes the partner.
 */
export async function ensureSandboxPartner(
  deps: { db: Database; clock: Clock },
  given: { clientId: string | undefined; clientSecret: string | undefined },
): Promise<IssuedCredentials | undefined> {
  const { db } = deps
  const known = await findSetting(db, settingName)
  if (known !== undefined)
    return given.clientId === undefined ? undefined : adoptCredentials(deps, known, given.clientId, given.clientSecret)
  const present = given.clientId === undefined ? undefined : await findCredential(db, given.clientId)
  const made =
    present === undefined
      ? await createPartner({ ...deps, realm: 'sandbox' }, { name: 'Sandbox partner', ...given })
      : { partnerId: present.partnerId, clientId: present.clientId, clientSecret: given.clientSecret ?? '' }
  const isFirst = await insertSetting(db, settingName, made.partnerId)
  return isFirst ? made : undefined
}

/** Credentials the environment names: added to the sandbox's partner, or brought to the secret it says. */
async function adoptCredentials(
  { db, clock }: { db: Database; clock: Clock },
  partnerId: string,
  clientId: string,
  givenSecret: string | undefined,
): Promise<IssuedCredentials | undefined> {
  const credential = await findCredential(db, clientId)
  if (credential === undefined) {
    const clientSecret = givenSecret ?? newClientSecret()
    const secretHash = await hashClientSecret(clientSecret)
    await inTransaction(db, {}, (tx) =>
      insertCredential(tx, { clientId, partnerId, secretHash, scopes, now: clock.now() }),
    )
    return { partnerId, clientId, clientSecret }
  }
  if (givenSecret === undefined || (await isClientSecret(givenSecret, credential.secretHash))) return undefined
  await updateSecretHash(db, clientId, await hashClientSecret(givenSecret))
  return { partnerId, clientId, clientSecret: givenSecret }
}
