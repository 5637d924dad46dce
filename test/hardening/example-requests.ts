import { routes } from '../../src/app/http/routes.ts'
import type { DocumentFormat } from '../../src/contracts/document-renderer.ts'
import type { Partner } from '../support/client.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'

/** A request and a description of it. */
export interface ExampleRequest {
  what: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/**
 * A request for every operation, page and kind of error. The paths of operations contain unknown ids or those of the
 * household.
 */
export async function prepareExampleRequests(service: ServiceUnderTest, partner: Partner): Promise<ExampleRequest[]> {
  const { quoteId, lead, addressUid } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const url = async (format: DocumentFormat) => {
    const { contractUrl } = succeeded(await partner.get(`/Customers/${lead}/pci-contract-url-${format}`))
    return contractUrl.replace(service.baseUrl, '')
  }
  const authorised = { Authorization: `Bearer ${partner.token}` }
  const ids: Record<string, string> = { Quotes: quoteId, Customers: lead }
  const operations = routes.map(({ operationId, method, path, tag }): ExampleRequest => {
    const id = path.includes('{uid}') ? addressUid : (ids[tag] ?? 'of_nobody')
    const query = path === '/Addresses/lookup' ? '?postcode=NR4+7TJ' : ''
    return {
      what: operationId,
      method,
      path: `/partner-api${path.replace(/\{\w+\}/, id)}${query}`,
      headers: { ...authorised, ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }) },
      ...(method === 'GET' ? {} : { body: '{}' }),
    }
  })
  const json = { 'Content-Type': 'application/json' }
  return [
    ...operations,
    {
      what: 'a token',
      method: 'POST',
      path: '/partner-api/Auth/token',
      headers: json,
      body: JSON.stringify(service.credentials),
    },
    { what: 'no token', method: 'POST', path: '/oauth/token', headers: json, body: '{}' },
    { what: 'no revocation', method: 'POST', path: '/partner-api/Auth/revoke', headers: json, body: '{}' },
    { what: 'the HTML contract', path: await url('html') },
    { what: 'the PDF contract', path: await url('pdf') },
    { what: 'an invalid contract link', path: `${await url('html')}x` },
    ...[
      '/docs',
      '/docs/reference',
      '/docs/guides/webhooks.md',
      '/docs/guides/webhooks',
      '/docs/errors',
      '/docs/errors/not_found',
      '/openapi.json',
      '/health/live',
      '/health/ready',
      '/',
    ].map((path) => ({ what: path, path })),
    { what: 'the pages for developers', path: '/workplace/developers/webhooks' },
    { what: 'keys', path: '/.well-known/jwks.json' },
    { what: 'metadata', path: '/.well-known/oauth-authorization-server' },
    { what: 'the card page', path: '/sandbox/card-setup/seti_1' },
    { what: 'its script', path: '/sandbox/card-setup/assets/card-setup.js' },
    { what: 'its steps', method: 'POST', path: '/sandbox/card-setup/seti_1/state', headers: json, body: '{}' },
    { what: "a processor's notice", method: 'POST', path: '/processor-webhooks/stripe', headers: json, body: '{}' },
    { what: '401', path: '/partner-api/Quotes' },
    { what: '404', path: '/nothing' },
    { what: '405', method: 'DELETE', path: '/partner-api/Quotes' },
    { what: '405 for an unknown method', method: 'PROPFIND', path: '/partner-api/Quotes' },
    { what: '406', path: '/partner-api/Quotes', headers: { ...authorised, Accept: 'text/html' } },
    {
      what: '413',
      method: 'POST',
      path: '/partner-api/Quotes',
      headers: { ...authorised, ...json },
      body: ' '.repeat(65_537),
    },
    { what: '415', method: 'POST', path: '/partner-api/Quotes', headers: authorised, body: 'x' },
    { what: 'a malformed URL', path: '/partner-api/Quotes/%zz' },
  ]
}
