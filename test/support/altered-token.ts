const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Changes the lowest bit of the token's last character. In a 32 or 64 byte signature, base64url does not use that bit, so a
 * lenient parser accepts the altered token as the original.
 */
export function withLastBitChanged(token: string): string {
  return token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.slice(-1)) ^ 1)
}
