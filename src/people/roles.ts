import { type OperatorScope, operatorAccountId, operatorScopes } from '../partners/operators/operator-scopes.ts'
import { type Scope, scopes } from '../partners/scopes.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** What a person may do. No program has `people:manage`: a partner's people are managed by a person. */
export type PersonScope = OperatorScope | Scope | 'people:manage'

/** What each role of the operator's people may do. `psr:read` is in none: it is given to a person by name. */
export const operatorRoles = {
  admin: operatorScopes.filter((scope) => scope !== 'psr:read'),
  finance: ['payments:read', 'payments:write', 'contracts:read', 'partners:read'],
  rates: ['rates:write', 'partners:read'],
  support: ['support:read', 'support:write', 'contracts:read', 'payments:read'],
} as const satisfies Readonly<Record<string, readonly OperatorScope[]>>

/**
 * What each role of a partner's people may do. `webhooks:manage` reads events too. What no role has is
 * given to a person by name.
 */
export const partnerRoles = {
  admin: [...scopes.filter((scope) => scope !== 'psr:read' && scope !== 'customers:export'), 'people:manage'],
  agent: ['addresses:read', 'quotes:read', 'quotes:write', 'customers:read', 'customers:onboard', 'customers:write'],
  developer: ['webhooks:manage', 'sandbox:steer'],
  reader: ['addresses:read', 'quotes:read', 'customers:read'],
} as const satisfies Readonly<Record<string, readonly PersonScope[]>>

export type Role = keyof typeof operatorRoles | keyof typeof partnerRoles

/** Every role, of the operator's and of partners' people. */
export const allRoles = [...new Set([...Object.keys(operatorRoles), ...Object.keys(partnerRoles)])].sort() as Role[]

/** What can be given by name. */
export const namedScopes = ['psr:read', 'customers:export'] as const satisfies readonly Scope[]
export type NamedScope = (typeof namedScopes)[number]

/** The roles and the named scopes that people of the operator or of a partner can have. */
export function grantsOf(partnerId: Id<'partner'>): {
  roles: Readonly<Partial<Record<Role, readonly PersonScope[]>>>
  scopes: readonly NamedScope[]
} {
  return partnerId === operatorAccountId
    ? { roles: operatorRoles, scopes: ['psr:read'] }
    : { roles: partnerRoles, scopes: namedScopes }
}

/** All that a person may do: what their roles allow, and what they were given by name. */
export function scopesOf(person: {
  partnerId: Id<'partner'>
  roles: readonly Role[]
  scopes: readonly NamedScope[]
}): PersonScope[] {
  const { roles } = grantsOf(person.partnerId)
  return [...new Set([...person.roles.flatMap((role) => roles[role] ?? []), ...person.scopes])]
}
