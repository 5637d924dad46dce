import { type EncryptionKey, fixedKeyRing, type KeyRing } from '../kernel/key-ring.ts'
import type { Realm } from './config.ts'
import { openDataFolder } from './data-folder.ts'
import { parseEncryptionKeys } from './encryption-keys.ts'
import type { Environment } from './env.ts'
import { keyFileIn, readOrMakeKeyFile, watchKeyFile } from './key-file.ts'
import { ConfigurationError } from './problems.ts'

/** What must never be logged or shown, kept apart from Config so that no printing of the configuration can leak it. */
export interface Secrets {
  databaseUrl: string | undefined
  databaseOwnerUrl: string | undefined
  /** As they were at the start. */
  encryptionKeys: readonly EncryptionKey[]
  /** As they are at the moment. */
  keyRing: KeyRing
  /** Where the keys are kept, in a sandbox that was given none. */
  keyFile: string | undefined
  redisUrl: string | undefined
  sandboxClientId: string | undefined
  sandboxClientSecret: string | undefined
  stripeSecretKey: string | undefined
  stripeWebhookSecret: string | undefined
  addressSourceKey: string | undefined
}

/** Reads the secrets; a sandbox without ENCRYPTION_KEYS makes one at first start and keeps it under DATA_DIR (mode 0600). */
export async function loadSecrets(environment: Environment, realm: Realm, dataDir: string): Promise<Secrets> {
  const given = environment.ENCRYPTION_KEYS
  if (given === undefined && realm !== 'sandbox')
    throw new ConfigurationError(['HOUSEBILL_ENV=live needs ENCRYPTION_KEYS'])
  const keyFile = given === undefined ? keyFileIn(dataDir) : undefined
  if (environment.DATABASE_URL === undefined) await openDataFolder(dataDir)
  const keys = keyFile === undefined ? parseEncryptionKeys(given ?? '') : await readOrMakeKeyFile(keyFile)
  return {
    databaseUrl: environment.DATABASE_URL,
    databaseOwnerUrl: environment.DATABASE_OWNER_URL,
    encryptionKeys: keys,
    keyRing: keyFile === undefined ? fixedKeyRing(keys) : watchKeyFile(keyFile, keys),
    keyFile,
    redisUrl: environment.REDIS_URL,
    sandboxClientId: environment.SANDBOX_CLIENT_ID,
    sandboxClientSecret: environment.SANDBOX_CLIENT_SECRET,
    stripeSecretKey: environment.STRIPE_SECRET_KEY,
    stripeWebhookSecret: environment.STRIPE_WEBHOOK_SECRET,
    addressSourceKey: environment.ADDRESS_SOURCE_KEY,
  }
}
