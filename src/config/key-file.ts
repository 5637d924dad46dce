import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type EncryptionKey, fixedKeyRing, type KeyRing } from '../kernel/key-ring.ts'
import { dataFolderFailure, openDataFolder } from './data-folder.ts'
import { parseEncryptionKeys } from './encryption-keys.ts'

/** How long a key put in the first place may stay unnoticed by a server that only encrypts. */
const lookEveryMs = 1_000

/** Where a sandbox keeps its keys. */
export function keyFileIn(dataDir: string): string {
  return join(dataDir, 'encryption-keys')
}

/**
 * The keys of the file, which is made with one key where there is none. Of two processes starting at once both read the same.
 * Throws `Refused` where the file cannot be read or made.
 */
export async function readOrMakeKeyFile(file: string): Promise<EncryptionKey[]> {
  try {
    const kept = await readFile(file, 'utf8').catch(undefinedIfMissing)
    if (kept !== undefined) return parseEncryptionKeys(kept.trim())
    await openDataFolder(dirname(file))
    // Written whole under another name and linked: of two processes starting at once one wins, both read the same key.
    const draft = await writeDraft(file, [{ id: 'sandbox-1', key: randomBytes(32) }])
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await unlink(draft)
    return parseEncryptionKeys((await readFile(file, 'utf8')).trim())
  } catch (error) {
    throw dataFolderFailure(error, dirname(file))
  }
}

/** Puts a new key in the first place, the others behind it; running servers notice. Returns its id. */
export async function addKeyToFile(file: string): Promise<string> {
  const keys = parseEncryptionKeys((await readFile(file, 'utf8')).trim())
  const id = newKeyId(keys)
  await rename(await writeDraft(file, [{ id, key: randomBytes(32) }, ...keys]), file)
  return id
}

/** The next of `sandbox-1`, `sandbox-2`, …, whatever the others are called. */
function newKeyId(keys: readonly EncryptionKey[]): string {
  const numbers = keys.map(({ id }) => Number(/^sandbox-(\d+)$/.exec(id)?.[1] ?? 0))
  return `sandbox-${Math.max(...numbers) + 1}`
}

async function writeDraft(file: string, keys: readonly EncryptionKey[]): Promise<string> {
  const draft = `${file}.${randomUUID()}`
  const text = keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',')
  await writeFile(draft, `${text}\n`, { mode: 0o600, flush: true })
  return draft
}

/**
 * The keys of a file as they are at the moment: a new first key is used within a second, and one that is not known yet is looked
 * up at once, so that a rotation beside a running server needs no restart.
 */
export function watchKeyFile(file: string, keys: readonly EncryptionKey[]): KeyRing {
  let ring = fixedKeyRing(keys)
  let readOf = fingerprintOf(file)
  let lookedAt = performance.now()
  const look = () => {
    lookedAt = performance.now()
    const found = fingerprintOf(file)
    // A file that is gone takes no key away from a running server: there is no other copy.
    if (found === undefined || found === readOf) return
    ring = fixedKeyRing(parseEncryptionKeys(readFileSync(file, 'utf8').trim()))
    readOf = found
  }
  return {
    current() {
      if (performance.now() - lookedAt > lookEveryMs) look()
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

function fingerprintOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.ino} ${found.mtimeMs} ${found.size}`
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
