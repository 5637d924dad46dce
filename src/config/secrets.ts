import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EncryptionKey } from '../domain/kernel/field-encryption.ts'
import type { Realm } from './config.ts'
import { parseEncryptionKeys } from './encryption-keys.ts'
import type { Environment } from './env.ts'
import { ConfigurationError } from './problems.ts'

/** What must never be logged or shown, kept apart from Config so that no printing of the configuration can leak it. */
export interface Secrets {
  databaseUrl: string | undefined
  databaseOwnerUrl: string | undefined
  encryptionKeys: readonly EncryptionKey[]
  sandboxClientId: string | undefined
  sandboxClientSecret: string | undefined
  stripeSecretKey: string | undefined
  stripeWebhookSecret: string | undefined
  addressSourceKey: string | undefined
}

/** Reads the secrets; a sandbox without ENCRYPTION_KEYS makes one at first start and keeps it under DATA_DIR (mode 0600). */
export async function loadSecrets(environment: Environment, realm: Realm, dataDir: string): Promise<Secrets> {
  const keyText = environment.ENCRYPTION_KEYS ?? (realm === 'sandbox' ? await keptSandboxKeys(dataDir) : undefined)
  if (keyText === undefined) throw new ConfigurationError(['HOUSEBILL_ENV=live needs ENCRYPTION_KEYS'])
  return {
    databaseUrl: environment.DATABASE_URL,
    databaseOwnerUrl: environment.DATABASE_OWNER_URL,
    encryptionKeys: parseEncryptionKeys(keyText),
    sandboxClientId: environment.SANDBOX_CLIENT_ID,
    sandboxClientSecret: environment.SANDBOX_CLIENT_SECRET,
    stripeSecretKey: environment.STRIPE_SECRET_KEY,
    stripeWebhookSecret: environment.STRIPE_WEBHOOK_SECRET,
    addressSourceKey: environment.ADDRESS_SOURCE_KEY,
  }
}

async function keptSandboxKeys(dataDir: string): Promise<string> {
  const file = join(dataDir, 'encryption-keys')
  await mkdir(dataDir, { recursive: true })
  const kept = await readFile(file, 'utf8').catch(undefinedIfMissing)
  if (kept !== undefined) return kept.trim()
  // Written whole under another name and linked: of two processes starting at once one wins, both read the same key.
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, `sandbox-1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true })
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  return (await readFile(file, 'utf8')).trim()
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
