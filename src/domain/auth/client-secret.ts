import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** A new client secret: 256 random bits, shown once. */
export function newClientSecret(): string {
  return `sk_${randomBytes(32).toString('base64url')}`
}

/**
 * The hash to store of a secret, as `sha256$hash`. A slow hash protects passwords, which people choose; 256 random bits cannot be guessed
 * from a fast one either (NIST SP 800-63B, section 5.1.2.2), and a slow one would let strangers keep our processors busy.
 */
export function hashClientSecret(secret: string): string {
  return `sha256$${createHash('sha256').update(secret).digest('base64url')}`
}

/**
 * Whether the secret matches one of the stored hashes, each compared in constant time. Hashes of credentials made by older versions are
 * `scrypt$N$r$p$salt$hash` (RFC 7914) and match until the secret is rotated. Throws if a stored text is neither.
 */
export async function matchesClientSecret(secret: string, ...stored: readonly string[]): Promise<boolean> {
  const matches = await Promise.all(stored.map((each) => matchesOne(secret, each)))
  return matches.includes(true)
}

async function matchesOne(secret: string, stored: string): Promise<boolean> {
  const [scheme, ...parts] = stored.split('$')
  if (scheme === 'sha256' && parts.length === 1) return isEqual(Buffer.from(hashClientSecret(secret)), stored)
  const [N, r, p, salt, hash] = parts
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined)
    throw new Error('unknown client secret hash format')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const expected = Buffer.from(hash, 'base64url')
  return timingSafeEqual(expected, await derive(secret, Buffer.from(salt, 'base64url'), expected.length, cost))
}

function isEqual(actual: Buffer, stored: string): boolean {
  const expected = Buffer.from(stored)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function derive(secret: string, salt: Buffer, bytes: number, cost: { N: number; r: number; p: number }) {
  const maxmem = 256 * cost.N * cost.r
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(secret, salt, bytes, { ...cost, maxmem }, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
