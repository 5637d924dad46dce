import type autocannon from 'autocannon'
import { inventDetails, onboardCustomer } from '../../clients/typescript/src/sandbox-household.ts'
import { type ApiClient, connectApi } from '../api-client.ts'
import { credentials } from '../child-service.ts'
import { type MeasuredService, untilDispatched } from '../measured-service.ts'
import type { Run } from '../scenario.ts'
import { bareQuoteId, type Servers } from './servers.ts'
import { packages, postcode, priceHousehold, walkJourney } from './walk.ts'

/** What one measurement sends, over and over. */
export interface Operation {
  name: string
  /** For the report. */
  title: string
  server: 'service' | 'bare' | 'mock'
  /** Sent in turn over each connection. One round of all of them counts as one. */
  requests: readonly autocannon.Request[]
  /** The names of the operations that this one is compared with in each round. */
  baselines: readonly string[]
  /** Fewer connections than the others have, if the service turns more away. */
  mostConnections?: number
  /** The work is done only when this returns. */
  settle?: () => Promise<void>
}

/** All operations, each after its baselines. Those of the mock are left out if it is not installed. */
export async function prepareOperations(run: Run, { service, mock }: Servers): Promise<Operation[]> {
  const all = await prepareServiceOperations(run, service)
  const requestOf = (name: string) => all.find((operation) => operation.name === name)?.requests[0] ?? {}
  const baselines: Operation[] = [
    baseline('bare-insert', 'bare Fastify, one durable insert', { ...requestOf('create-quote'), path: '/quotes' }),
    baseline('bare-select', 'bare Fastify, one select by id', {
      ...requestOf('get-quote'),
      path: `/quotes/${bareQuoteId}`,
    }),
    baseline('bare-nothing', 'bare Fastify, no database', { ...requestOf('token'), path: '/nothing' }),
    baseline('mock-create', "Prism's mock, `POST /Quotes`", requestOf('create-quote')),
    baseline('mock-get', "Prism's mock, `GET /Quotes/{id}`", requestOf('get-quote')),
  ]
  const present = baselines.filter(({ server }) => server !== 'mock' || mock !== undefined)
  const isPresent = (name: string) => present.some((each) => each.name === name)
  const ordered = all.flatMap((operation) => [
    ...present.filter(({ name }) => operation.baselines.includes(name)),
    { ...operation, baselines: operation.baselines.filter(isPresent) },
  ])
  return [...new Set(ordered)]
}

function baseline(name: string, title: string, request: autocannon.Request): Operation {
  return { name, title, server: name.startsWith('mock-') ? 'mock' : 'bare', requests: [request], baselines: [] }
}

/** Prepares households, and what is measured of the service itself. */
export async function prepareServiceOperations(run: Run, service: MeasuredService): Promise<Operation[]> {
  const api = await connectApi(run, service.url)
  const draft = await priceHousehold(api)
  const [customerId = ''] = draft.customerIds
  for (const tenant of draft.tenants.slice(0, 1))
    await onboardCustomer(api, customerId, 'details', inventDetails(tenant))
  const contractUrls = await walkJourney(api)
  const previewUrls = await previewsOf(api, customerId)

  const authorized = { ...api.headers }
  const get = (path: string) => ({ method: 'GET', path: `/partner-api${path}`, headers: authorized }) as const
  const post = (path: string, body: object, headers: Record<string, string> = authorized) =>
    ({ method: 'POST', path: `/partner-api${path}`, headers, body: JSON.stringify(body) }) as const
  const open = (url: string) => ({ method: 'GET', path: url.slice(new URL(url).origin.length) }) as const
  const measured = (name: string, title: string, baselines: string[], ...requests: autocannon.Request[]) =>
    ({ name, title, server: 'service', baselines, requests }) satisfies Operation
  const quote = `/Quotes/${draft.quoteId}`
  const select = ['bare-select']
  const create = post('/Quotes', { addressUid: draft.addressUid, packages })
  const token = post('/Auth/token', credentials, { 'content-type': 'application/json' })

  return [
    {
      ...measured('create-quote', '`POST /Quotes`, durable', ['bare-insert', 'mock-create'], create),
      settle: () => untilDispatched(service),
    },
    measured('get-quote', '`GET /Quotes/{id}`, 3 tenants', [...select, 'mock-get'], get(quote)),
    measured('total-cost', '`GET /Quotes/{id}/total-cost`', select, get(`${quote}/total-cost`)),
    measured('lookup', '`GET /Addresses/lookup`', select, get(`/Addresses/lookup?postcode=${postcode}`)),
    measured('get-customer', '`GET /Customers/{id}`', select, get(`/Customers/${customerId}`)),
    measured('token', '`POST /Auth/token`', ['bare-nothing'], token),
    measured('contract', 'contract as stored, HTML + PDF', [], open(contractUrls.html), open(contractUrls.pdf)),
    {
      ...measured('preview', 'preview as rendered, HTML + PDF', [], ...previewUrls.map(open)),
      // A partner may have eight documents waiting to be rendered.
      mostConnections: 8,
    },
  ]
}

async function previewsOf(api: ApiClient, customerId: string): Promise<string[]> {
  const html = await api.getPciPreviewUrlHtml(customerId)
  const pdf = await api.getPciPreviewUrlPdf(customerId)
  return [html.previewUrl, pdf.previewUrl]
}
