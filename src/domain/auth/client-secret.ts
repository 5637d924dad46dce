import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

interface Cost {
  N: number
  r: number
  p: number
}

/**
 * The parameters of scrypt (RFC 7914). Each guess takes about 60 ms on one core and needs too much memory for graphics cards to make many at
 * once. OWASP advises p = 3 with this N for passwords; a secret of 256 random bits cannot be guessed at any cost.
 */
const cost: Cost = { N: 2 ** 15, r: 8, p: 1 }
const keyBytes = 32

/** A new client secret: 256 random bits, shown once. */
export function newClientSecret(): string {
  return `sk_${randomBytes(32).toString('base64url')}`
}

/**
 * Hashes a secret as `scrypt$N$r$p$salt$hash`. Because the hash includes its cost, it can still be checked after this code changes
 * the cost. If the `previous` hash has the current cost, the new hash reuses its salt. One derivation then checks a secret against
 * both hashes during a rotation, so a check takes no longer than usual.
 */
export async function hashClientSecret(secret: string, previous?: string): Promise<string> {
  const other = previous === undefined ? undefined : parse(previous)
  const hasCurrentCost =
    other !== undefined && (['N', 'r', 'p'] as const).every((name) => other.cost[name] === cost[name])
  const salt = hasCurrentCost ? other.salt : randomBytes(16)
  const hash = await derive(secret, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Whether the secret matches one of the hashes, in constant time. Throws if a stored text is not such a hash. */
export async function matchesClientSecret(secret: string, ...stored: readonly string[]): Promise<boolean> {
  const derived = new Map<string, Promise<Buffer>>()
  let matches = false
  for (const { basis, salt, cost: storedCost, hash } of stored.map(parse)) {
    const actual = derived.get(basis) ?? derive(secret, salt, storedCost)
    derived.set(basis, actual)
    matches = timingSafeEqual(hash, await actual) || matches
  }
  return matches
}

/** Takes as long as a real check. Call it for unknown clients, so that timing does not reveal which client ids exist. */
export async function simulateSecretCheck(secret: string): Promise<void> {
  await derive(secret, Buffer.alloc(16), cost)
}

/** Splits a stored hash. `basis` is everything that the derivation depends on, except for the secret. */
function parse(stored: string): { basis: string; salt: Buffer; cost: Cost; hash: Buffer } {
  const parts = stored.split('$')
  const [scheme, N, r, p, salt, hash] = parts
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined)
    throw new Error('unknown client secret hash format')
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
