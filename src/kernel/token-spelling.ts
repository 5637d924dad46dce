/**
 * Whether every part of a compact JWS is canonical base64url. Base64url leaves unused bits in a part's last character, and lenient
 * decoders ignore them: without this check, a token with that character altered would still verify.
 */
export function isCanonicalToken(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
