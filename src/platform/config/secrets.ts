import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type EncryptionKey, fixedKeyRing, type KeyRing } from '../kernel/key-ring.ts'
import type { Realm } from './config.ts'
import { explainDataFolderError, openDataFolder, requireDataFolder } from './data-folder.ts'
import { encryptionKeyProblems, parseEncryptionKeys } from './encryption-keys.ts'
import type { Environment } from './env.ts'
import { ConfigurationError } from './problems.ts'

/**
 * How often the file is checked for a new first key. An unknown key id in encrypted data also triggers a check, but a
 * server that only encrypts never reads one.
 */
const checkEveryMs = 1_000

/** The path of the file in which a sandbox keeps its encryption keys. */
export function keyFileIn(dataDir: string): string {
  return join(dataDir, 'encryption-keys')
}

/**
 * The keys in the file, which is created with one key if it does not exist. Two processes that start at the same time
 * get the same key. Throws `CommandError` if the file cannot be read or created.
 */
export async function readOrCreateKeyFile(file: string): Promise<EncryptionKey[]> {
  try {
    const kept = await readKeyFile(file)
    if (kept !== undefined) return kept
    await openDataFolder(dirname(file))
    // The file is written under another name and then linked. If two processes start at the same time, one wins and
    // both read its key.
    const draft = await writeDraft(file, [{ id: 'sandbox-1', key: randomBytes(32) }])
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await unlink(draft)
    return parseEncryptionKeys((await readFile(file, 'utf8')).trim())
  } catch (error) {
    throw explainDataFolderError(error, dirname(file))
  }
}

/** The keys in the file; undefined if it does not exist. */
async function readKeyFile(file: string): Promise<EncryptionKey[] | undefined> {
  const kept = await readFile(file, 'utf8').catch(undefinedIfMissing)
  return kept === undefined ? undefined : parseEncryptionKeys(kept.trim())
}

async function writeDraft(file: string, keys: readonly EncryptionKey[]): Promise<string> {
  const draft = `${file}.${randomUUID()}`
  const text = keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',')
  await writeFile(draft, `${text}\n`, { mode: 0o600, flush: true })
  return draft
}

/**
 * A key ring that reloads the file when it changes. A new first key is used within a second, and an unknown key id
 * triggers an immediate reload, so rotating keys needs no restart. Keys with which a live service would not start are
 * ignored.
 */
function watchKeyFile(
  file: string,
  keys: readonly EncryptionKey[],
  { isLive }: { isLive: boolean } = { isLive: false },
): KeyRing {
  let ring = fixedKeyRing(keys)
  let readOf = fingerprintOf(file)
  let lookedAt = performance.now()
  const look = () => {
    lookedAt = performance.now()
    const found = fingerprintOf(file)
    // If the file is gone or unusable, keep the keys: the running server may have the only copy.
    if (found === undefined || found === readOf) return
    const changed = readUsableKeys(file, isLive)
    if (changed === undefined) return
    ring = fixedKeyRing(changed)
    readOf = found
  }
  return {
    current() {
      if (performance.now() - lookedAt > checkEveryMs) look()
      return ring.current()
    },
    find(id) {
      const known = ring.find(id)
      if (known !== undefined) return known
      look()
      return ring.find(id)
    },
  }
}

/** Undefined if the file has no usable keys, for example because it is being written. */
function readUsableKeys(file: string, isLive: boolean): EncryptionKey[] | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim()
    return encryptionKeyProblems(text, { isLive }).length === 0 ? parseEncryptionKeys(text) : undefined
  } catch {
    return undefined
  }
}

function fingerprintOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.ino} ${found.mtimeMs} ${found.size}`
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}

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
