import { isOnThisMachine } from './live-connections.ts'
import type { VariableReader } from './parse.ts'

/** The identity provider of the operator's people (OpenID Connect). */
export interface DeskConfig {
  /** As the provider writes it: issuers are compared character by character. */
  issuer: string
  clientId: string
  /** The claim of the ID token that lists roles; undefined if people have only the roles with which they are invited. */
  rolesClaim: string | undefined
}

/** Reads the settings and reports contradictions among them. */
export function readDesk(read: VariableReader, realm: 'sandbox' | 'live'): DeskConfig | undefined {
  read.url('DESK_ISSUER')
  const [issuer, clientId] = [read.text('DESK_ISSUER'), read.text('DESK_CLIENT_ID')]
  const names = ['DESK_ISSUER', 'DESK_CLIENT_ID', 'DESK_CLIENT_SECRET'] as const
  const isAny = names.some((name) => read.has(name)) || read.has('DESK_ROLES_CLAIM')
  for (const name of names)
    if (isAny && !read.has(name))
      read.problems.push(`${name} is missing: to sign in to /desk takes ${names.join(', ')}`)
  if (realm === 'live' && issuer !== undefined && URL.parse(issuer)?.protocol === 'http:')
    read.problems.push('HOUSEBILL_ENV=live needs an https DESK_ISSUER')
  if (issuer === undefined || clientId === undefined) return undefined
  return { issuer, clientId, rolesClaim: read.text('DESK_ROLES_CLAIM') }
}

/** Whether there is a desk: where a provider says who signs in, or a sandbox on this machine lets one say so. */
export function hasDesk(at: { realm: 'sandbox' | 'live'; publicUrl: string; hasProvider: boolean }): boolean {
  return at.hasProvider || (at.realm === 'sandbox' && isOnThisMachine(new URL(at.publicUrl).hostname))
}
