import { type EncryptionKey, fixedKeyRing, type KeyRing } from '../kernel/key-ring.ts'
import type { Realm } from './config.ts'
import { openDataFolder, requireDataFolder } from './data-folder.ts'
import { parseEncryptionKeys } from './encryption-keys.ts'
import type { Environment } from './env.ts'
import { keyFileIn, readKeyFile, readOrCreateKeyFile, watchKeyFile } from './key-file.ts'
import { ConfigurationError } from './problems.ts'

/**
 * Secrets that must never be logged or shown. Kept apart from Config, so printing the configuration cannot leak them.
 */
export interface Secrets {
  databaseUrl: string | undefined
  databaseSystemUrl: string | undefined
  databaseOwnerUrl: string | undefined
  databaseDirectUrl: string | undefined
  /** The keys as they were read at startup. */
  encryptionKeys: readonly EncryptionKey[]
  /** The current keys, which can change while the process runs. */
  keyRing: KeyRing
  redisUrl: string | undefined
  sandboxClientId: string | undefined
  sandboxClientSecret: string | undefined
  stripeSecretKey: string | undefined
  stripeWebhookSecret: string | undefined
  addressSourceKey: string | undefined
  smtpUrl: string | undefined
  deskClientSecret: string | undefined
}

/**
 * What reading the secrets may create in DATA_DIR: everything a sandbox needs (`serve`), or nothing. `nothing, not even
 * read keys` is for
 * `migrate`, which may run before there are keys.
 */
export type Creating = 'everything' | 'nothing' | 'nothing, not even read keys'

/**
 * Reads the secrets; a sandbox without ENCRYPTION_KEYS creates a key on first start and keeps it under DATA_DIR (mode
 * 0600).
 */
export async function loadSecrets(
  environment: Environment,
  realm: Realm,
  dataDir: string,
  creating: Creating = 'everything',
): Promise<Secrets> {
  const given = environment.ENCRYPTION_KEYS
  if (given === undefined && realm !== 'sandbox')
    throw new ConfigurationError(['HOUSEBILL_ENV=live needs ENCRYPTION_KEYS'])
  const keyFile = given === undefined ? keyFileIn(dataDir) : undefined
  const isPrivate = environment.DATABASE_URL === undefined
  if (creating !== 'everything' && isPrivate) await requireDataFolder(dataDir)
  if (creating === 'everything' && isPrivate) await openDataFolder(dataDir)
  const keys = keyFile === undefined ? parseEncryptionKeys(given ?? '') : await keysOf(keyFile, creating)
  const watched = keyFile ?? environment.ENCRYPTION_KEYS_FILE
  return {
    databaseUrl: environment.DATABASE_URL,
    databaseSystemUrl: environment.DATABASE_SYSTEM_URL,
    databaseOwnerUrl: environment.DATABASE_OWNER_URL,
    databaseDirectUrl: environment.DATABASE_DIRECT_URL,
    encryptionKeys: keys,
    keyRing:
      keys.length === 0
        ? noKeys
        : watched === undefined
          ? fixedKeyRing(keys)
          : watchKeyFile(watched, keys, { isLive: realm === 'live' }),
    redisUrl: environment.REDIS_URL,
    sandboxClientId: environment.SANDBOX_CLIENT_ID,
    sandboxClientSecret: environment.SANDBOX_CLIENT_SECRET,
    stripeSecretKey: environment.STRIPE_SECRET_KEY,
    stripeWebhookSecret: environment.STRIPE_WEBHOOK_SECRET,
    addressSourceKey: environment.ADDRESS_SOURCE_KEY,
    smtpUrl: environment.SMTP_URL,
    deskClientSecret: environment.DESK_CLIENT_SECRET,
  }
}

/** For `migrate` before the first start. */
const noKeys: KeyRing = {
  current() {
    throw new ConfigurationError(['ENCRYPTION_KEYS is not set, and the sandbox has not made a key yet'])
  },
  find: () => undefined,
}

async function keysOf(keyFile: string, creating: Creating): Promise<readonly EncryptionKey[]> {
  if (creating === 'everything') return readOrCreateKeyFile(keyFile)
  const keys = await readKeyFile(keyFile)
  if (keys !== undefined) return keys
  if (creating === 'nothing, not even read keys') return []
  throw new ConfigurationError([
    `ENCRYPTION_KEYS is not set, and there is no ${keyFile}: commands use the service's keys and never create any. Run the command with the environment of the service`,
  ])
}
