// Tests the API with generated requests: `npm run test:specmatic`. Optional, because it needs Java 17 and downloads about 90 MB
// from npm. Specmatic generates valid and invalid requests from the API document; invented ids are replaced by existing ones, and every
// response is checked against the document. Further arguments are passed on, such as --filter="METHOD='GET'".
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { connectPartner } from '../test/support/client.ts'
import { startHousehold } from '../test/support/household.ts'
import { checkResponse } from '../test/support/openapi-responses.ts'
import { createActiveQuote, testTime } from '../test/support/quote-fixtures.ts'
import { movableClock, startTestService } from '../test/support/service.ts'

const version = '2.55.1'
/**
 * Operations that are not tested. Token requests carry no token, and the sandbox calls would change simulators and the clock for all
 * other requests.
 */
const leftOut = [
  '/partner-api/Auth/token',
  '/oauth/token',
  '/partner-api/Sandbox/payment-processor/outage',
  '/partner-api/Sandbox/broadband/{id}',
  '/partner-api/Sandbox/clock/advance',
  // The service would call the URLs that Specmatic invents, over the internet.
  '/partner-api/Webhooks',
]
const given = process.argv.slice(2)
const filter = given.some((each) => each.startsWith('--filter')) ? [] : [`--filter=PATH!='${leftOut.join(',')}'`]

const service = await startTestService(
  {},
  { clock: movableClock(testTime), resolver: { resolve: () => Promise.resolve([]) } },
)
const partner = await connectPartner(service.baseUrl, service.credentials)
const open = await startHousehold(partner)
const active = await createActiveQuote(partner)
const complaints: string[] = []
const statuses: Record<string, number> = {}

const between = createServer((request, response) => {
  pass(request, response).catch((error: unknown) => {
    complaints.push(`${request.method} ${request.url}: ${error}`)
    response.destroy()
  })
})
between.listen(0, '127.0.0.1')
await once(between, 'listening')
const { port } = between.address() as AddressInfo

const specmatic = spawn(
  'npx',
  [
    '--yes',
    `specmatic@${version}`,
    'test',
    fileURLToPath(new URL('../openapi/partner-api.json', import.meta.url)),
    `--testBaseURL=http://127.0.0.1:${port}`,
    ...filter,
    ...given,
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
)
const [code] = await Promise.race([
  once(specmatic, 'exit'),
  once(specmatic, 'error').then(([error]) => {
    throw error
  }),
])
between.close()
await service.stop()

// Specmatic's own verdict is ignored, because it counts every rejected invented id or value as a failure.
const sent = Object.values(statuses).reduce((sum, count) => sum + count, 0)
console.log(`${sent} requests, responses by status: ${JSON.stringify(statuses)}; specmatic ended with ${code}`)
for (const complaint of complaints) console.error(complaint)
if (sent === 0) console.error('Specmatic sent no requests. Is Java 17 installed?')
process.exitCode = complaints.length > 0 || sent === 0 ? 1 : 0

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray())
  const { method = 'GET', url = '/' } = request
  const path = withKnownIds(url)
  const headers = new Headers({ authorization: `Bearer ${partner.token}` })
  for (const name of ['accept', 'content-type', 'idempotency-key']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const answer = await fetch(`${service.baseUrl}${path}`, { method, headers, ...(body.length > 0 ? { body } : {}) })
  const text = await answer.text()
  const { status } = answer
  statuses[status] = (statuses[status] ?? 0) + 1
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false
  try {
    if (status >= 500) throw new Error(`status ${status}`)
    checkResponse(method, path, { status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined })
  } catch (error) {
    complaints.push(`${method} ${path} ${body}: ${error instanceof Error ? error.message : error}`)
  }
  response.writeHead(status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' }).end(text)
}

/** Replaces invented ids with those of the open and the active household, alternating between the two. */
function withKnownIds(url: string): string {
  const household = (statuses[200] ?? 0) % 2 === 0 ? open : active
  return url
    .replace(/(\/Quotes\/)(?!quoting-|broadband-|run-)[^/?]+/, `$1${household.quoteId}`)
    .replace(/(\/Customers\/)(?!psr-)[^/?]+/, `$1${household.lead}`)
    .replace(/(\/run-broadband-availability-check\/)[^/?]+/, `$1${household.addressUid}`)
}
