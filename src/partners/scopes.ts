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
