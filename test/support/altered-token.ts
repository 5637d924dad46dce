const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * The token with the lowest bit of its last character changed. In a signature of 32 or 64 bytes base64url does not use
 * that bit: a lenient reader takes the altered token for the old one.
 */
export function withLastBitChanged(token: string): string {
  return token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.slice(-1)) ^ 1)
}
