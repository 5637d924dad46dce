/** What a token may do (docs/authentication.md#scopes). A new partner's credentials have all of them. */
export const scopes = [
  'addresses:read',
  'quotes:read',
  'quotes:write',
  'customers:read',
  'customers:write',
  'customers:export',
  'customers:onboard',
  'psr:read',
  'webhooks:manage',
  'sandbox:steer',
] as const
export type Scope = (typeof scopes)[number]

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/** The requested scopes, or all of these. Undefined if a requested scope is not among them, or if there are none. */
export function grantedScopes<Name extends string>(
  own: readonly Name[],
  requested: string | undefined,
): readonly Name[] | undefined {
  const wanted = requested === undefined ? own : [...new Set(requested.split(' ').filter((name) => name !== ''))]
  const known = wanted.flatMap((name) => own.find((scope) => scope === name) ?? [])
  return wanted.length > 0 && known.length === wanted.length ? known : undefined
}
