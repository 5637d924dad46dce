import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { createLogger } from '../../src/app/logger.ts'
import { connectPartner } from '../support/client.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestService } from '../support/service.ts'
import { prepareExampleRequests } from './example-requests.ts'

const lines: string[] = []
const log = createLogger('trace', { write: (line) => void lines.push(line) })
const service = await startTestService({}, { log })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const examples = await prepareExampleRequests(service, partner)
const links = examples.filter(({ path }) => path.includes('?token=')).map(({ path }) => path)
const tokens = links.map((path) => new URL(path, service.baseUrl).searchParams.get('token') ?? '')

/** Tables that the operations need but token calls and token checks do not. */
const tables = [
  'quotes',
  'customers',
  'contract_documents',
  'webhooks',
  'properties',
  'broadband_checks',
  'idempotency_keys',
]

/** While `during` runs, hides these tables, if they exist, by renaming them. */
async function withoutTables(during: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: service.connectionString })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
     and relname = any($1)`,
    [tables],
  )
  const rename = async (from: (name: string) => string, to: (name: string) => string) => {
    for (const { name } of rows) await client.query(`alter table ${from(name)} rename to ${to(name)}`)
  }
  try {
    await rename(
      (name) => name,
      (name) => `${name}_gone`,
    )
    await during()
  } finally {
    await rename(
      (name) => `${name}_gone`,
      (name) => name,
    )
    await client.end()
  }
}

const internals =
  /relation|does not exist|select |insert |update |from public|_gone|42P01|SQLSTATE|DatabaseError|node_modules|\.ts\b|\bat \w|stack|ECONN|postgres/i

test('an internal error in any operation or page does not reveal its cause and is logged with the request id', async () => {
  const faults: string[] = []
  await withoutTables(async () => {
    for (const { what, path, method = 'GET', headers = {}, body } of examples) {
      const requestId = `fault-${faults.length}-${what.replaceAll(/\W/g, '')}`
      const response = await fetch(`${service.baseUrl}${path}`, {
        method,
        headers: { ...headers, 'X-Request-Id': requestId },
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
      })
      const text = await response.text()
      if (response.status !== 500) continue
      faults.push(what)
      assert.doesNotMatch(text, internals, what)
      assert.equal(response.headers.get('cache-control')?.includes('no-store'), true)
      const { code, requestId: named } = JSON.parse(text)
      assert.deepEqual([code, named], ['internal_error', requestId])
      const entry = lines
        .map((line) => JSON.parse(line))
        .find(({ level, reqId }) => level === 'error' && reqId === requestId)
      assert.equal(entry?.err.code, '42P01', what)
      assert.equal('message' in entry.err, false)
    }
  })
  assert.ok(faults.length >= 12, faults.join(', '))
  assert.ok(faults.includes('the HTML contract') && faults.includes('the PDF contract'))
})

test('no log line of any level contains the token of a contract link, whatever happens to the request', async () => {
  assert.ok(tokens.length >= 3 && tokens.every((token) => token.length > 60))
  for (const path of links) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND'])
      await (await fetch(`${service.baseUrl}${path}`, { method })).arrayBuffer()
    await (await fetch(`${service.baseUrl}/docs`, { headers: { Referer: `${service.baseUrl}${path}` } })).arrayBuffer()
    await (await fetch(`${service.baseUrl}/%zz${path}`)).arrayBuffer()
    await sendRaw(service.baseUrl, `GET ${path} HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n`)
    await sendRaw(service.baseUrl, `GET ${path}&${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await sendRaw(service.baseUrl, `GET http://evil.example${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  }
  for (const token of tokens)
    for (const part of [token, ...token.split('.')])
      assert.equal(
        lines.find((line) => line.includes(part)),
        undefined,
      )
  assert.ok(lines.some((line) => line.includes('/contracts/:customerId/pre-contract-information.html')))
})
