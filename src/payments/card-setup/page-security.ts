import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** A nonce for the inline script and style of one response. */
export function newNonce(): string {
  return randomBytes(18).toString('base64')
}

/** Sets the headers of every card page response: no caching, no content sniffing, no referrer. */
export function setPrivacyHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-robots-tag', 'noindex, nofollow')
}

/**
 * Sets the page's headers. They let it use only its own script and style sheet, connect only to this server, and submit
 * forms only by script (a card number must never end up in a URL). They also forbid other pages from showing it in a
 * frame.
 */
export function setPageHeaders(reply: FastifyReply, nonce: string): FastifyReply {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return setPrivacyHeaders(reply)
    .header('content-security-policy', policy)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
    .type('text/html; charset=utf-8')
}
