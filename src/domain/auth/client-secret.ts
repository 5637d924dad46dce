import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

interface Cost {
  N: number
  r: number
  p: number
}

/** scrypt at 2^15: some 60 ms of one core a guess, in memory a graphics card cannot spare (RFC 7914; OWASP's floor). */
const cost: Cost = { N: 2 ** 15, r: 8, p: 1 }
const keyBytes = 32

/** A new client secret: 256 random bits, shown once. */
export function newClientSecret(): string {
  return `sk_${randomBytes(32).toString('base64url')}`
}

/**
 * `scrypt$N$r$p$salt$hash`: everything needed to check it later, also when the cost here is raised. A hash that is to hold `beside`
 * another takes over its salt, where that one was made at today's cost: one derivation then tells whether a secret is either,
 * so that a rotation under way neither doubles the work of a guess nor shows in its time.
 */
export async function hashClientSecret(secret: string, beside?: string): Promise<string> {
  const other = beside === undefined ? undefined : parse(beside)
  const isOfToday = other !== undefined && (['N', 'r', 'p'] as const).every((name) => other.cost[name] === cost[name])
  const salt = isOfToday ? other.salt : randomBytes(16)
  const hash = await derive(secret, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether the secret belongs to one of the hashes, in constant time. Throws where a text is no hash of ours. */
export async function isClientSecret(secret: string, ...stored: readonly string[]): Promise<boolean> {
  const derived = new Map<string, Promise<Buffer>>()
  let isOne = false
  for (const { basis, salt, cost: itsCost, hash } of stored.map(parse)) {
    const actual = derived.get(basis) ?? derive(secret, salt, itsCost)
    derived.set(basis, actual)
    isOne = timingSafeEqual(hash, await actual) || isOne
  }
  return isOne
}

/** For unknown clients: takes as long as a real check, so that timing does not tell which client ids exist. */
export async function pretendToCheck(secret: string): Promise<void> {
  await derive(secret, Buffer.alloc(16), cost)
}

/** `basis` is all of it that a derivation depends on beside the secret. */
function parse(stored: string): { basis: string; salt: Buffer; cost: Cost; hash: Buffer } {
  const parts = stored.split('$')
  const [scheme, N, r, p, salt, hash] = parts
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined)
    throw new Error('unknown form of client secret hash')
  return {
    basis: parts.slice(0, 5).join('$'),
    salt: Buffer.from(salt, 'base64url'),
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    hash: Buffer.from(hash, 'base64url'),
  }
}

function derive(secret: string, salt: Buffer, parameters: Cost): Promise<Buffer> {
  const options: ScryptOptions = { ...parameters, maxmem: 256 * parameters.N * parameters.r }
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, keyBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
