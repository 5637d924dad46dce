import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** scrypt at 2^15: some 60 ms of one core a guess, in memory a graphics card cannot spare (RFC 7914; OWASP's floor). */
const cost = { N: 2 ** 15, r: 8, p: 1 }
const keyBytes = 32

/** A new client secret: 256 random bits, shown once. */
export function newClientSecret(): string {
  return `sk_${randomBytes(32).toString('base64url')}`
}

/** `scrypt$N$r$p$salt$hash`: everything needed to check it later, also when the cost here is raised. */
export async function hashClientSecret(secret: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(secret, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether the secret belongs to the hash, in constant time. */
export async function isClientSecret(secret: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined)
    throw new Error('unknown form of client secret hash')
  const expected = Buffer.from(hash, 'base64url')
  const actual = await derive(secret, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return timingSafeEqual(actual, expected)
}

/** For unknown clients: takes as long as a real check, so that timing does not tell which client ids exist. */
export async function pretendToCheck(secret: string): Promise<void> {
  await derive(secret, Buffer.alloc(16), cost)
}

function derive(secret: string, salt: Buffer, parameters: { N: number; r: number; p: number }): Promise<Buffer> {
  const options: ScryptOptions = { ...parameters, maxmem: 256 * parameters.N * parameters.r }
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, keyBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
