/** Half a year: long enough to hold, short enough that a deployment can go back to another address. */
const httpsOnlySeconds = 15_552_000

/**
 * The headers every answer begins with, whatever it is; pages loosen what they need. Answers are about people or for one caller, so
 * nothing is kept by caches unless a route says otherwise, and nothing here may run, be framed or be embedded elsewhere.
 */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(publicUrl.startsWith('https://') ? { 'Strict-Transport-Security': `max-age=${httpsOnlySeconds}` } : {}),
  }
}
