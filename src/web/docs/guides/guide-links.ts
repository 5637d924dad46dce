/**
 * The partner guides in `docs/`, by file name without `.md`, and what each is about, in the order in which a newcomer
 * reads them.
 */
export const guideSummaries: Readonly<Record<string, string>> = {
  quickstart: 'The first quote with curl, then the first contract, with a card that you type in a browser.',
  concepts: 'The words of the API, and the life of a quote with the call that leads to each status.',
  'selling-from-your-tenancy-flow':
    'A worked example: an application whose tenants accept their bills on their phones.',
  sandbox: 'Sample properties, test cards and sandbox calls: how to test every outcome.',
  webhooks: 'Registering, verifying signatures, responding, ordering, retries and redelivery.',
  'errors-and-retries': 'What an error looks like, which calls to repeat and when, and which never.',
  idempotency: 'How to repeat a call without doing something twice, also after a crash.',
  authentication: 'Credentials, scopes by call, changing a secret, limits.',
  clients: 'Ready-made clients: what they do for you, and the first quote.',
  'api-behaviour': 'Statuses, conventions, dates, prices and payments: the rules behind the reference.',
  console: 'The web console: what it shows, and how to fix a webhook.',
  'going-live': 'What to check before your program leaves the sandbox.',
  versioning: 'What can change at any time, and how you learn of anything else.',
}

/** The URL of a guide's page. */
export function guideHref(name: string): string {
  return `/docs/guides/${name}`
}

/**
 * The URL that a link in a guide has on this server. Anchors and external links do not change; guides and error codes
 * link to their pages. Undefined if the target is not served.
 */
export function servedUrl(target: string): string | undefined {
  if (/^(#|https?:\/\/)/.test(target)) return target
  const [path = '', anchor = ''] = target.split('#', 2)
  if (path === '../openapi/partner-api.json') return '/openapi.json'
  if (path === 'errors.md') return anchor === '' ? '/docs/errors' : `/docs/errors/${anchor}`
  const name = path.replace(/\.md$/, '')
  if (name === path || !Object.hasOwn(guideSummaries, name)) return undefined
  return anchor === '' ? guideHref(name) : `${guideHref(name)}#${anchor}`
}
