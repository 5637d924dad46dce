import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { DomainError } from '../../kernel/errors.ts'

const path = '/.well-known/security.txt'
const maxAgeSeconds = 3_600
/** How long a reader may rely on a copy. RFC 9116 §2.5.5 recommends less than a year. */
const validDays = 30

interface SecurityContact {
  /** mailto: and https: URIs; if there are none, the file does not exist. */
  contacts: readonly string[]
  publicUrl: string
  clock: Clock
}

/** Says where to report a vulnerability in this deployment (RFC 9116). */
export function registerSecurityContact(app: FastifyInstance, deps: SecurityContact): void {
  const { contacts, clock, publicUrl } = deps
  app.get(path, async (_request, reply) => {
    if (contacts.length === 0)
      throw new DomainError('not_found', 'This deployment has no SECURITY_CONTACT. Its operator can set one.')
    return reply
      .header('Content-Type', 'text/plain; charset=utf-8')
      .header('Cache-Control', `public, max-age=${maxAgeSeconds}`)
      .send(securityText(contacts, publicUrl, clock.now()))
  })
}

function securityText(contacts: readonly string[], publicUrl: string, now: Date): string {
  const expires = new Date(now.getTime() + validDays * 86_400_000)
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString().replace(/\.\d+/, '')}`,
    // RFC 9116 §2.5.2 allows only https here.
    ...(publicUrl.startsWith('https://') ? [`Canonical: ${publicUrl}${path}`] : []),
    '',
  ].join('\n')
}
