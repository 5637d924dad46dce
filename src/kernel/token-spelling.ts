/**
 * True where every part of a compact JWS is spelt as an encoder spells it. Base64url leaves unused bits in a part's last
 * character, and a lenient decoder passes over them: an altered character there would give the same bytes, and so a token
 * that was changed and still verifies.
 */
export function isCanonicalToken(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
