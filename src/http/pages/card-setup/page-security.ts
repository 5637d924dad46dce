import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** A nonce for one answer's own script and style. */
export function newNonce(): string {
  return randomBytes(18).toString('base64')
}

/** Headers of every answer here: kept nowhere, sniffed as nothing else, telling no other site where the reader was. */
export function setQuietHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-robots-tag', 'noindex, nofollow')
}

/**
 * Headers of the page itself: only its own script and style run, it talks to this server only, is framed by nobody, and
 * no form leaves it without the script (a card number must never end up in an address).
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
  return setQuietHeaders(reply)
    .header('content-security-policy', policy)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
    .type('text/html; charset=utf-8')
}
