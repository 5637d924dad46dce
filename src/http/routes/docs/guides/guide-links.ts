/** The files of `docs/` that are written for a partner's developer, by name without `.md`, and what each is about. */
export const guideNames: Readonly<Record<string, string>> = {
  authentication: 'Credentials, scopes by call, changing a secret, limits.',
  sandbox: 'Sample properties, test cards and sandbox calls: how to test every outcome.',
  webhooks: 'Registering, verifying signatures, responding, ordering, retries and redelivery.',
  console: 'The web console: what is there, and how to put a webhook right.',
  'api-behaviour': 'Statuses, conventions, errors, dates, prices and payments: the rules behind the reference.',
}

/** Where the page of a guide is. */
export function guideHref(name: string): string {
  return `/docs/guides/${name}`
}

/**
 * Where a link in a guide leads on this server: anchors and other sites as they are, guides and error codes to their pages. Undefined
 * for what is not served.
 */
export function servedAt(target: string): string | undefined {
  if (/^(#|https?:\/\/)/.test(target)) return target
  const [path = '', anchor = ''] = target.split('#', 2)
  if (path === '../openapi/partner-api.json') return '/openapi.json'
  if (path === 'errors.md') return anchor === '' ? '/docs/errors' : `/docs/errors/${anchor}`
  const name = path.replace(/\.md$/, '')
  if (name === path || !Object.hasOwn(guideNames, name)) return undefined
  return anchor === '' ? guideHref(name) : `${guideHref(name)}#${anchor}`
}
