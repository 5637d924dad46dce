import { randomBytes } from 'node:crypto'
import { composeCipher } from '../../src/app/compose.ts'
import { findCredential, insertCredential, insertPartner } from '../../src/partners/partners.store.ts'
import { scopes as allScopes, type Scope } from '../../src/partners/scopes.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { createDatabase, type Database, inTransaction } from '../../src/platform/db/database.ts'
import type { FieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import { type Id, newId } from '../../src/platform/kernel/ids.ts'
import { connectPartner, type Partner } from './client.ts'
import { keepPool } from './postgres.ts'
import type { ServiceUnderTest } from './service.ts'

/** Opens the service's database for checks that HTTP cannot make. */
export async function withDatabase<Result>(
  { connectionString }: Pick<ServiceUnderTest, 'connectionString'>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  return work(createDatabase(keepPool({ connectionString })))
}

/** A service's database, and where its keys are. */
export interface Sealing extends Pick<ServiceUnderTest, 'connectionString' | 'environment'> {
  config: Pick<ServiceUnderTest['config'], 'realm' | 'dataDir'>
}

/** What seals credentials in the service's database. */
export async function cipherOf(service: Sealing): Promise<FieldCipher> {
  const { realm, dataDir } = service.config
  const secrets = await loadSecrets(service.environment, realm, dataDir)
  return withDatabase(service, (db) => composeCipher(db, secrets))
}

/** Creates a partner with its own sandbox clock and connects it. Its credentials have every scope by default. */
export async function connectNewPartner(
  service: ServiceUnderTest,
  { scopes = allScopes }: { scopes?: readonly Scope[] } = {},
): Promise<Partner> {
  const partnerId = newId('partner')
  const clientId = await withDatabase(service, async (db) => {
    await inTransaction(db, {}, (tx) => insertPartner(tx, { partnerId, name: partnerId, now: new Date() }))
    return addCredential(service, db, partnerId, scopes)
  })
  return connectPartner(service.baseUrl, { ...service.credentials, clientId })
}

/** Connects another partner, who has no access to the sandbox partner's data. */
export function connectAnotherPartner(service: ServiceUnderTest): Promise<Partner> {
  return connectNewPartner(service)
}

/** Every scope except the given one. */
export function allScopesBut(scope: Scope): Scope[] {
  return allScopes.filter((each) => each !== scope)
}

/** Connects the sandbox's partner with new credentials that have only these scopes. */
export async function connectWithScopes(service: ServiceUnderTest, scopes: readonly Scope[]): Promise<Partner> {
  const clientId = await withDatabase(service, async (db) => {
    const { partnerId } = await ownCredential(service, db)
    return addCredential(service, db, partnerId, scopes)
  })
  return connectPartner(service.baseUrl, { ...service.credentials, clientId })
}

/** The new credentials have the secret of the sandbox's. */
async function addCredential(
  service: ServiceUnderTest,
  db: Database,
  partnerId: Id<'partner'>,
  scopes: readonly Scope[],
): Promise<string> {
  const clientId = `sb_test_${randomBytes(6).toString('hex')}`
  const cipher = await cipherOf(service)
  const { secretHash } = await ownCredential(service, db)
  await inTransaction(db, {}, (tx) =>
    // Before any clock that a test sets: a token may not be older than its credentials.
    insertCredential(tx, cipher, { clientId, partnerId, secretHash, scopes, now: new Date(0) }),
  )
  return clientId
}

async function ownCredential(service: ServiceUnderTest, db: Database) {
  const credential = await findCredential(db, await cipherOf(service), service.credentials.clientId)
  if (credential === undefined) throw new Error('the sandbox has no partner')
  return credential
}
