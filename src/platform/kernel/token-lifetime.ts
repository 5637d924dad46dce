/**
 * The longest that an access token is valid, and its lifetime unless the operator shortens it: 24 hours (interface:
 * Auth).
 */
export const longestTokenSeconds = 86_400

/** How far the clocks of this deployment's servers may differ. */
const clockDifferenceSeconds = 60

/**
 * Whether a service that issues nothing longer than `longestLifetimeSeconds` may have issued the token. Somebody who
 * has stolen a signing key can sign any expiry, so the signature alone does not prove it. The times are in seconds
 * since 1970. A token that does not say when it was issued counts as issued now.
 */
export function hasPossibleLifetime(
  { exp, iat }: { exp?: number; iat?: number },
  { longestLifetimeSeconds, now }: { longestLifetimeSeconds: number; now: Date },
): boolean {
  if (exp === undefined) return false
  const seconds = Math.floor(now.getTime() / 1000)
  const isShort = iat === undefined || exp - iat <= longestLifetimeSeconds
  return isShort && exp - seconds <= longestLifetimeSeconds + clockDifferenceSeconds
}

/** Whether the token says that it was issued later than any clock of this deployment can show now. */
export function isFromTheFuture({ iat }: { iat?: number }, now: Date): boolean {
  return iat !== undefined && iat > Math.floor(now.getTime() / 1000) + clockDifferenceSeconds
}

/**
 * Whether every part of a compact JWS is canonical base64url. The last character of a part can have unused bits, which
 * lenient decoders ignore. Without this check, a token with that character altered would still verify.
 */
export function isCanonicalToken(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
