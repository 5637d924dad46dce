// Sells the bills of each new tenancy of a CRM, and writes back how far it is: docs/connect-a-crm.md.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { HousebillClient, InvalidWebhookError, isApiError, verifyWebhook } from '../../clients/typescript/src/entry.ts'
import { readTenancy } from './tenancies.ts'

const { CRM_URL = 'http://localhost:4000', CRM_TOKEN = '', WEBHOOK_SECRET = '', PORT = '3000' } = process.env
const { HOUSEBILL_URL: baseUrl = 'http://localhost:8080', HOUSEBILL_CLIENT_ID: clientId = 'sb_example' } = process.env
const { HOUSEBILL_CLIENT_SECRET: clientSecret = 'example-secret' } = process.env
const client = new HousebillClient({ baseUrl, clientId, clientSecret })

/** Writes a note to the CRM's tenancy. Throws if it was not taken, so that the message is sent again. */
async function writeBack(tenancyId: string, note: string): Promise<void> {
  const headers = { Authorization: `Bearer ${CRM_TOKEN}`, 'Content-Type': 'application/json' }
  const url = `${CRM_URL}/tenancies/${encodeURIComponent(tenancyId)}`
  const { ok, status } = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify({ note }) })
  if (!ok) throw new Error(`the CRM responded with ${status}`)
}

/** Quotes a tenancy: a dry run first, so that a person hears what is wrong before any tenant does. */
async function sell(message: string): Promise<void> {
  const { id, address, postcode, startsOn, tenants, ...seller } = readTenancy(JSON.parse(message))
  const { matches } = await client.matchAddresses({ lines: [{ address, postcode }] })
  const [match] = matches
  const [property] = match?.candidates ?? []
  if (property === undefined || match?.outcome !== 'sure') return writeBack(id, `Bills: which home is ${address}?`)
  const quote = { addressUid: property.addressUid, packages: ['electricity' as const, 'gas' as const], ...seller }
  const household = { ...quote, contractStartDate: startsOn, tenants, reference: id }
  try {
    await client.createHousehold(household, { dryRun: 'true' })
    // The CRM may send a tenancy twice. The second time, this is the household that exists.
    const created = await client.createHousehold({ ...household, onDuplicateReference: 'return' })
    const links = created.tenants.map(({ name, url }) => `${name}: ${url}`)
    await writeBack(id, ['Bills: send each tenant their link', ...links].join('\n'))
  } catch (error) {
    if (!isApiError(error) || error.code !== 'validation_failed') throw error
    await writeBack(id, `Bills: ${error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ')}`)
  }
}

/** Tells the CRM what a webhook message says. The reference of a quote is the CRM's id. */
async function report(message: string, headers: NodeJS.Dict<string | string[]>): Promise<void> {
  const { type, data } = await verifyWebhook(message, headers, WEBHOOK_SECRET)
  if ('reference' in data && data.reference !== null && 'status' in data)
    await writeBack(data.reference, `Bills: ${type === 'quote.status.changed' ? 'quote' : 'tenant'} ${data.status}`)
}

createServer(async (request, response) => {
  const message = await text(request)
  const done = request.url === '/crm' ? sell(message) : report(message, request.headers)
  const failed = (error: unknown) => (error instanceof InvalidWebhookError ? 400 : 502)
  response.writeHead(await done.then(() => 204, failed)).end()
}).listen(Number(PORT), '127.0.0.1', () => console.log(`The connector is at http://localhost:${PORT}`))
