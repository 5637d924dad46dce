import { randomBytes } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { hasPossibleLifetime, isCanonicalToken } from '../../platform/kernel/token-lifetime.ts'
import { type KeyKind, type RingDependencies, readRing } from '../../platform/keys/key-ring.ts'

/** How long a link to the tenant's pages works at most. */
export const onboardingLinkDays = 30

/** The keys of all links. Those to documents work for `lifetimeSeconds`. */
export function linkKeyKind(lifetimeSeconds: number): KeyKind {
  return {
    name: 'links',
    make: async () => randomBytes(32),
    usefulForSeconds: Math.max(lifetimeSeconds, onboardingLinkDays * 86_400),
  }
}

/** Reads the keys of all links. */
export async function readLinkKeys(deps: RingDependencies & { lifetimeSeconds: number }): Promise<Buffer[]> {
  return (await readRing(deps, linkKeyKind(deps.lifetimeSeconds))).map(({ secret }) => secret)
}

/** How the tokens in links are signed and verified. */
export interface LinkSigning {
  /** All of them verify; the first one signs. */
  keys: readonly Buffer[]
  /** How long a new link works. A link that lasts longer opens nothing, even if it is signed correctly. */
  lifetimeSeconds: number
}

/** What a link opens: its subject is a customer. `revision` is how often the customer's links were revoked. */
interface LinkTarget {
  subject: string
  audience: string
  revision: number
}

const algorithm = 'HS256'

export async function signLink(
  { keys, lifetimeSeconds }: LinkSigning,
  { subject, audience, revision }: LinkTarget,
  { claims, expiresAt }: { claims: JWTPayload; expiresAt: Date },
): Promise<string> {
  const [key] = keys
  if (key === undefined) throw new Error('there is no link key')
  const expiresAtSecond = Math.floor(expiresAt.getTime() / 1000)
  return new SignJWT({ ...claims, revision })
    .setProtectedHeader({ alg: algorithm })
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt(expiresAtSecond - lifetimeSeconds)
    .setExpirationTime(expiresAtSecond)
    .sign(key)
}

/** The claims of a link that opens the target now; undefined for any other link. `now` is the partner's time. */
export async function verifyLink<Claims>(
  { keys, lifetimeSeconds }: LinkSigning,
  token: string,
  { subject, audience, revision, now }: LinkTarget & { now: Date },
): Promise<(JWTPayload & Claims) | undefined> {
  if (!isCanonicalToken(token)) return undefined
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify<Claims & { revision?: number }>(token, key, {
        algorithms: [algorithm],
        subject,
        audience,
        requiredClaims: ['exp', 'sub', 'aud'],
        currentDate: now,
      })
      // A link from before links could be revoked has no revision.
      if ((payload.revision ?? 0) !== revision) return undefined
      return hasPossibleLifetime(payload, { longestLifetimeSeconds: lifetimeSeconds, now }) ? payload : undefined
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
  return undefined
}

export interface ContractUrlPolicy {
  /** The base URL of the document links: the value of PUBLIC_URL. */
  publicUrl: string
  /** The value of CONTRACT_URL_TTL_SECONDS. */
  lifetimeSeconds: number
}

/** When a link that is made now expires, in whole seconds, so that `expiresAt` equals the token's expiry. */
export function linkExpiry(now: Date, lifetimeSeconds: number): Date {
  return new Date((Math.floor(now.getTime() / 1000) + lifetimeSeconds) * 1000)
}
