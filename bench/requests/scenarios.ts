import type autocannon from 'autocannon'
import { type ApiClient, connectApi } from '../api-client.ts'
import { credentials } from '../child-service.ts'
import { giveDetails, packages, postcode, priceHousehold, walkJourney } from '../journeys/walk.ts'
import { bareQuoteId, type Servers } from './servers.ts'

/** What one measurement sends, over and over. */
export interface Scenario {
  name: string
  /** For the report. */
  title: string
  server: 'service' | 'bare' | 'mock'
  /** Sent in turn over each connection. One round of all of them counts as one. */
  requests: readonly autocannon.Request[]
  /** The names of the scenarios that this one is compared with in each round. */
  baselines: readonly string[]
  /** Fewer connections than the others have, if the service turns more away. */
  mostConnections?: number
  /** The work is done only when this returns. */
  settle?: () => Promise<void>
}

/** Prepares households for the scenarios. They are listed so that each follows its baselines. */
export async function prepareScenarios(servers: Servers): Promise<Scenario[]> {
  const api = await connectApi(servers.service.url)
  const draft = await priceHousehold(api)
  const [customerId = ''] = draft.customerIds
  await giveDetails(api, customerId, 0)
  const { contractUrls } = await walkJourney(api)
  const previewUrls = await previewsOf(api, customerId)
  await api.close()

  const get = (path: string): autocannon.Request => ({ method: 'GET', path, headers: { ...api.headers } })
  const open = (url: string): autocannon.Request => ({ method: 'GET', path: url.slice(new URL(url).origin.length) })
  const newQuote = JSON.stringify({ addressUid: draft.addressUid, packages })
  const post = (path: string, body: string): autocannon.Request => ({
    method: 'POST',
    path,
    body,
    headers: { ...api.headers },
  })
  const quote = `/partner-api/Quotes/${draft.quoteId}`
  const onService = (name: string, title: string, requests: readonly autocannon.Request[], ...baselines: string[]) =>
    ({ name, title, server: 'service', requests, baselines }) satisfies Scenario
  const baseline = (name: string, server: 'bare' | 'mock', title: string, request: autocannon.Request) =>
    ({ name, title, server, requests: [request], baselines: [] }) satisfies Scenario

  return [
    baseline('bare-insert', 'bare', 'bare Fastify, one durable insert', post('/quotes', newQuote)),
    {
      ...onService(
        'create-quote',
        '`POST /Quotes`, durable',
        [post('/partner-api/Quotes', newQuote)],
        'bare-insert',
        'mock-create',
      ),
      settle: servers.untilDispatched,
    },
    baseline('mock-create', 'mock', "Prism's mock, `POST /Quotes`", post('/partner-api/Quotes', newQuote)),
    baseline('bare-select', 'bare', 'bare Fastify, one select by id', get(`/quotes/${bareQuoteId}`)),
    onService('get-quote', '`GET /Quotes/{id}`, 3 tenants', [get(quote)], 'bare-select', 'mock-get'),
    baseline('mock-get', 'mock', "Prism's mock, `GET /Quotes/{id}`", get(quote)),
    onService('total-cost', '`GET /Quotes/{id}/total-cost`', [get(`${quote}/total-cost`)], 'bare-select'),
    onService(
      'lookup',
      '`GET /Addresses/lookup`',
      [get(`/partner-api/Addresses/lookup?postcode=${postcode}`)],
      'bare-select',
    ),
    onService('get-customer', '`GET /Customers/{id}`', [get(`/partner-api/Customers/${customerId}`)], 'bare-select'),
    baseline('bare-nothing', 'bare', 'bare Fastify, no database', post('/nothing', JSON.stringify(credentials))),
    onService(
      'token',
      '`POST /Auth/token`',
      [
        {
          method: 'POST',
          path: '/partner-api/Auth/token',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(credentials),
        },
      ],
      'bare-nothing',
    ),
    onService('contract', 'contract as stored, HTML + PDF', [open(contractUrls.html), open(contractUrls.pdf)]),
    {
      ...onService('preview', 'preview as rendered, HTML + PDF', previewUrls.map(open)),
      // A partner may have eight documents waiting to be rendered.
      mostConnections: 8,
    },
  ]
}

async function previewsOf(api: ApiClient, customerId: string): Promise<string[]> {
  const html = await api.get(`/Customers/${customerId}/pci-preview-url-html`)
  const pdf = await api.get(`/Customers/${customerId}/pci-preview-url-pdf`)
  return [html.previewUrl, pdf.previewUrl]
}
