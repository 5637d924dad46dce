import type { EncryptionKey } from '../kernel/key-ring.ts'
import { ConfigurationError } from './problems.ts'

const form =
  'ENCRYPTION_KEYS must be id:base64 pairs separated by commas, with keys of 32 bytes; create a key with "openssl rand -base64 32"'

/**
 * Parses `id:base64,id:base64`. The first key is used to encrypt. Throws ConfigurationError, which never quotes a key.
 */
export function parseEncryptionKeys(text: string): EncryptionKey[] {
  const keys = text.split(',').map((entry) => {
    const [id = '', encoded = ''] = entry.trim().split(/:(.*)/s)
    const key = Buffer.from(encoded, 'base64')
    const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded)
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || !isBase64 || key.length !== 32) throw new ConfigurationError([form])
    return { id, key }
  })
  if (new Set(keys.map((key) => key.id)).size !== keys.length) {
    throw new ConfigurationError(['ENCRYPTION_KEYS contains the same key id twice'])
  }
  return keys
}

/**
 * Lists the problems with the keys, to report together with all other configuration problems. Keys of a live deployment
 * must also look random. A sandbox, which has no real people in it, accepts any.
 */
export function encryptionKeyProblems(text: string | undefined, { isLive }: { isLive: boolean }): readonly string[] {
  try {
    const keys = text === undefined ? [] : parseEncryptionKeys(text)
    return isLive ? weakKeyProblems(keys) : []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

function weakKeyProblems(keys: readonly EncryptionKey[]): string[] {
  const problems = keys
    .filter(({ key }) => isGuessable(key))
    .map(
      ({ id }) =>
        `ENCRYPTION_KEYS: HOUSEBILL_ENV=live rejects the key "${id}" because it is not random; create one with "openssl rand -base64 32"`,
    )
  if (new Set(keys.map(({ key }) => key.toString('hex'))).size !== keys.length)
    problems.push(
      'ENCRYPTION_KEYS contains the same key under two ids: HOUSEBILL_ENV=live needs a different key for each',
    )
  return problems
}

/** The fewest different bytes in a random key of 32 bytes. Fewer occur once in more than 10^11 keys. */
const fewestDifferentBytes = 16

/**
 * Whether the key was made up rather than drawn at random: a repeated byte or pattern, bytes that count up or down, or
 * typed text. A random key has one of these properties less than once in 10^11 times.
 */
function isGuessable(key: Buffer): boolean {
  const bytes = [...key]
  const steps = new Set(bytes.slice(1).map((byte, index) => (byte - (bytes[index] ?? 0) + 256) % 256))
  const isTyped = bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)
  return new Set(bytes).size < fewestDifferentBytes || steps.size === 1 || isTyped
}
