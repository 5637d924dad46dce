import type { VariableReader } from './parse.ts'

/**
 * An external identity provider. URLs are kept as given: issuers are compared character by character, including a
 * trailing slash.
 */
export interface IdentityProviderConfig {
  issuer: string
  tokenUrl: string
  jwksUrl: string
}

const names = ['IDP_ISSUER', 'IDP_TOKEN_URL', 'IDP_JWKS_URL'] as const

/** Undefined unless all three variables are set. If undefined, the embedded provider is used. */
export function readIdentityProvider(read: VariableReader): IdentityProviderConfig | undefined {
  for (const name of names) read.url(name)
  const [issuer, tokenUrl, jwksUrl] = names.map((name) => read.text(name))
  if (issuer === undefined || tokenUrl === undefined || jwksUrl === undefined) return undefined
  return { issuer, tokenUrl, jwksUrl }
}

/**
 * Lists the problems with these settings. All three variables or none must be set. In live, the URLs must use https. In
 * a sandbox,
 * `SANDBOX_CLIENT_SECRET` must not be set with them, because the external provider keeps the secrets.
 * `ACCESS_TOKEN_SECONDS` must not be set with them either.
 */
export function identityProviderProblems(realm: 'sandbox' | 'live', read: VariableReader): string[] {
  const set = names.filter((name) => read.has(name))
  if (set.length === 0) return []
  const problems = names
    .filter((name) => !read.has(name))
    .map((name) => `${name} is missing: an external identity provider needs ${names.join(', ')}`)
  for (const name of set) {
    if (realm === 'live' && URL.parse(read.text(name) ?? '')?.protocol === 'http:') {
      problems.push(`HOUSEBILL_ENV=live needs an https ${name}`)
    }
  }
  if (realm === 'sandbox' && read.has('SANDBOX_CLIENT_SECRET')) {
    problems.push('SANDBOX_CLIENT_SECRET cannot be used with IDP_ISSUER: the identity provider keeps the secrets')
  }
  if (read.has('ACCESS_TOKEN_SECONDS'))
    problems.push(
      'ACCESS_TOKEN_SECONDS cannot be used with IDP_ISSUER: the identity provider decides how long tokens work',
    )
  return problems
}
