const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Changes the lowest bit of the token's last character. The base64url form of a 32-byte or 64-byte signature does not
 * use that bit, so a lenient parser treats the altered token like the original.
 */
export function withLastBitChanged(token: string): string {
  return token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.slice(-1)) ^ 1)
}
