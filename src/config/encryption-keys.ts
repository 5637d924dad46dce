import type { EncryptionKey } from '../kernel/key-ring.ts'
import { ConfigurationError } from './problems.ts'

const form =
  'ENCRYPTION_KEYS must be id:base64 pairs separated by commas, with keys of 32 bytes; create a key with "openssl rand -base64 32"'

/** Parses `id:base64,id:base64`. The first key is used to encrypt. Throws ConfigurationError, which never quotes a key. */
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

/** Lists the problems with the keys, to report together with all other configuration problems. */
export function encryptionKeyProblems(text: string | undefined): readonly string[] {
  try {
    if (text !== undefined) parseEncryptionKeys(text)
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}
