import { randomUUID } from 'node:crypto'
import type autocannon from 'autocannon'
import { inventDetails, onboardCustomer } from '../../clients/typescript/src/sandbox-household.ts'
import { type ApiClient, connectApi } from '../api-client.ts'
import { credentials } from '../child-service.ts'
import { type MeasuredService, type Server, untilDispatched } from '../measured-service.ts'
import type { Run } from '../scenario.ts'
import { packages, postcode, priceHousehold, quietPostcode, walkJourney } from './walk.ts'

/** What one measurement sends, over and over. */
export interface Operation {
  name: string
  /** For the report. */
  title: string
  /** Sent in turn over each connection. One round of all of them counts as one. */
  requests: readonly autocannon.Request[]
  /** Fewer connections than the others have, if the service turns more away. */
  mostConnections?: number
  /** The work is done only when this returns. */
  settle?: () => Promise<void>
}

/** What is written to the servers that the service is compared with. */
export const referenceQuote = { addressUid: 'address', packages }
export const referenceTenants: readonly object[] = ['Ada', 'Grace', 'Mary'].map((firstName) => ({
  firstName,
  lastName: 'Example',
  email: `${firstName}@tenants.example`,
  phone: '07700900123',
}))

type Headers = Record<string, string>

const get = (path: string, headers: Headers) => ({ method: 'GET', path, headers }) as const
const post = (path: string, headers: Headers, body: object) =>
  ({ method: 'POST', path, headers, body: JSON.stringify(body) }) as const

/** Gives each request an `Idempotency-Key` of its own. */
const withKey = (request: autocannon.Request) => ({ ...request, setupRequest: addKey })
const addKey = (sent: autocannon.Request) => ({
  ...sent,
  headers: { ...sent.headers, 'idempotency-key': randomUUID() },
})

/** Prepares households, and what is measured of the service. */
export async function prepareServiceOperations(run: Run, service: MeasuredService): Promise<Operation[]> {
  const api = await connectApi(run, service.url)
  const draft = await priceHousehold(api, quietPostcode)
  const [customerId = ''] = draft.customerIds
  for (const tenant of draft.tenants.slice(0, 1))
    await onboardCustomer(api, customerId, 'details', inventDetails(tenant))
  const contractUrls = await walkJourney(api)
  const previewUrls = await previewsOf(api, customerId)

  const headers = { ...api.headers }
  const read = (path: string) => [get(`/partner-api${path}`, headers)]
  const open = (url: string) => get(url.slice(new URL(url).origin.length), {})
  const quote = `/Quotes/${draft.quoteId}`
  const create = post('/partner-api/Quotes', headers, { addressUid: draft.addressUid, packages })
  const settle = () => untilDispatched(service)
  return [
    { name: 'create-quote', title: '`POST /Quotes`, event dispatched', requests: [create], settle },
    { name: 'create-with-key', title: 'the same with `Idempotency-Key`', requests: [withKey(create)], settle },
    {
      name: 'household',
      title: 'a household: priced create and add-tenants of 3, with keys',
      requests: householdRequests(headers, create, draft.tenants),
      settle,
    },
    { name: 'get-quote', title: '`GET /Quotes/{id}`, 3 tenants', requests: read(quote) },
    { name: 'total-cost', title: '`GET …/total-cost`', requests: read(`${quote}/total-cost`) },
    { name: 'get-customer', title: '`GET /Customers/{id}`, read audited', requests: read(`/Customers/${customerId}`) },
    { name: 'lookup', title: '`GET /Addresses/lookup`', requests: read(`/Addresses/lookup?postcode=${postcode}`) },
    { name: 'versions', title: '`GET …/quoting-tool-versions`', requests: read('/Quotes/quoting-tool-versions') },
    {
      name: 'token',
      title: '`POST /Auth/token`',
      requests: [post('/partner-api/Auth/token', { 'content-type': 'application/json' }, credentials)],
    },
    {
      name: 'contract',
      title: 'contract as stored, HTML + PDF',
      requests: [open(contractUrls.html), open(contractUrls.pdf)],
    },
    {
      name: 'preview',
      title: 'preview as rendered, HTML + PDF',
      requests: previewUrls.map(open),
      // A partner may have eight documents waiting to be rendered.
      mostConnections: 8,
    },
  ]
}

/** Creates a quote, and adds the tenants to the quote that was created. */
function householdRequests(headers: Headers, create: autocannon.Request, tenants: readonly object[]) {
  const add = post('/partner-api/Quotes', headers, { tenants })
  return [
    {
      ...withKey(create),
      onResponse: (_status: number, body: string, context: { quoteId?: string }) => {
        context.quoteId = JSON.parse(body).quoteId
      },
    },
    {
      ...add,
      setupRequest: (sent: autocannon.Request, context: { quoteId?: string }) => ({
        ...addKey(sent),
        path: `/partner-api/Quotes/${context.quoteId}/add-tenants`,
      }),
    },
  ]
}

/** What is measured of the reference server. */
export async function prepareReferenceOperations(
  run: Run,
  service: MeasuredService,
  server: Server,
): Promise<Operation[]> {
  const api = await connectApi(run, service.url)
  const headers = { ...api.headers }
  const create = post('/quotes', headers, { ...referenceQuote, tenants: referenceTenants })
  const response = await fetch(`${server.url}/quotes`, { method: 'POST', headers, body: create.body })
  const text = await response.text()
  if (!response.ok) throw new Error(`the reference server: ${text}`)
  const { quoteId } = JSON.parse(text) as { quoteId: string }
  return [
    { name: 'create', title: 'create with 3 tenants', requests: [create] },
    { name: 'get', title: 'get with 3 tenants', requests: [get(`/quotes/${quoteId}`, headers)] },
    { name: 'logged-get', title: 'get, read logged', requests: [get(`/logged-quotes/${quoteId}`, headers)] },
  ]
}

async function previewsOf(api: ApiClient, customerId: string): Promise<string[]> {
  const html = await api.getPciPreviewUrlHtml(customerId)
  const pdf = await api.getPciPreviewUrlPdf(customerId)
  return [html.previewUrl, pdf.previewUrl]
}
