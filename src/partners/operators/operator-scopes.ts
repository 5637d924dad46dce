/**
 * What an operator's token may do (docs/operator/api.md#scopes). New credentials have only the scopes that were asked
 * for.
 */
export const operatorScopes = [
  'contracts:read',
  'contracts:write',
  'psr:read',
  'payments:read',
  'payments:write',
  'partners:read',
  'partners:write',
  'rates:write',
  'support:read',
  'support:write',
] as const
export type OperatorScope = (typeof operatorScopes)[number]

export function isOperatorScope(text: string): text is OperatorScope {
  return (operatorScopes as readonly string[]).includes(text)
}
