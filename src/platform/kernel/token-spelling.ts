/**
 * Whether every part of a compact JWS is canonical base64url. The last character of a part can have unused bits, which
 * lenient decoders ignore. Without this check, a token with that character altered would still verify.
 */
export function isCanonicalToken(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
