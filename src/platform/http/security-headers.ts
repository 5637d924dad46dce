/** The lifetime of Strict-Transport-Security: a year (OWASP ASVS 5.0, 3.4.1). */
const httpsOnlySeconds = 31_536_000

/**
 * The default headers of every response; pages relax only what they need to. Responses hold personal data or are for
 * one caller, so they are not cached unless a route allows it, and nothing may be executed, framed or embedded
 * elsewhere.
 */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy(),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(publicUrl.startsWith('https://') ? { 'Strict-Transport-Security': `max-age=${httpsOnlySeconds}` } : {}),
  }
}

/** A policy that forbids everything but what `allowed` says, by directive. A directive of '' is left out. */
export function contentSecurityPolicy(allowed: Readonly<Record<string, string>> = {}): string {
  const none = "'none'"
  const policy = { 'default-src': none, 'base-uri': none, 'form-action': none, 'frame-ancestors': none, ...allowed }
  return Object.entries(policy)
    .filter(([, sources]) => sources !== '')
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ')
}
