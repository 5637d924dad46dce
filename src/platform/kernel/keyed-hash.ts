import { createHmac } from 'node:crypto'

/** A key for hashes. Its id marks the hashes it makes; the id of a deployment's first key is empty. */
export interface HashKey {
  id: string
  key: Buffer
}

/** HMAC-SHA-256 in base64url, after `id.` if the key has an id. */
export function keyedHash({ id, key }: HashKey, text: string): string {
  const hash = createHmac('sha256', key).update(text).digest('base64url')
  return id === '' ? hash : `${id}.${hash}`
}
