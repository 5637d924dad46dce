import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TSchema } from 'typebox'
import { availabilityResponses, createBroadbandDatabase } from '../../src/broadband/broadband-database.http.ts'
import { createHomeTelecom, installDatesResponses, productsResponses } from '../../src/broadband/home-telecom.http.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import { UpstreamFailure } from '../../src/platform/kernel/upstream-failure.ts'
import { defaultLimits } from '../../src/platform/outbound/guard.ts'
import { createUpstream, findShapeFault } from '../../src/platform/outbound/upstream.ts'
import { generateSampleProperties } from '../../src/sandbox/samples/sample-properties.ts'
import { buildBroadbandDatabaseSimulator } from '../../src/sandbox/simulators/broadband-database/server.ts'
import { buildHomeTelecomSimulator } from '../../src/sandbox/simulators/home-telecom/server.ts'
import { behaviourHeaders } from '../../src/sandbox/simulators/simulator-server.ts'
import { json, type ScriptedServer, startScriptedServer } from '../platform/outbound/scripted-server.ts'
import {
  bodyFault,
  type DocumentedOperation,
  queryFaults,
  readUpstreamDocument,
  toComparableSchema,
  type UpstreamDocument,
} from '../platform/outbound/upstream-documents.ts'
import { bankHolidays } from './broadband-fixture.ts'

/** Each contract is written down three times: in its document, in the adapter and in the simulator. All must agree. */

const names = ['home-telecom', 'broadband-database'] as const
type Name = (typeof names)[number]

const operations: { name: Name; path: string; answers: Record<number, TSchema> }[] = [
  { name: 'home-telecom', path: '/v1/products', answers: productsResponses },
  { name: 'home-telecom', path: '/v1/install-dates', answers: installDatesResponses },
  { name: 'broadband-database', path: '/v1/availability', answers: availabilityResponses },
]

const simulators = {
  'home-telecom': buildHomeTelecomSimulator({ bankHolidays, slowMilliseconds: 1 }),
  'broadband-database': buildBroadbandDatabaseSimulator({ slowMilliseconds: 1 }),
}
const documents = new Map<Name, UpstreamDocument>()
let server: ScriptedServer
before(async () => {
  for (const name of names) documents.set(name, await readUpstreamDocument(name))
  server = await startScriptedServer(json('{}'))
})
after(async () => {
  await server.close()
  await Promise.all(names.map((name) => simulators[name].close()))
})

function operation(name: Name, path: string): DocumentedOperation {
  const found = documents.get(name)?.paths[path]?.get
  assert.ok(found, `${name} documents no GET ${path}`)
  return found
}

/**
 * Makes every request that the adapters can make about a property, and returns the requests as the upstreams received
 * them.
 */
async function askEverything(home: { uprn: string; postcode: string }): Promise<{ name: Name; url: URL }[]> {
  const asked: { name: Name; url: URL }[] = []
  for (const name of names) {
    const upstream = createUpstream({ name, baseUrl: server.baseUrl, limits: { failuresToOpen: 99 } })
    server.requests.length = 0
    const wish = {
      productIds: ['fibre-150', 'static-ip'],
      orderDate: isoDate('2026-12-01'),
      earliest: isoDate('2026-12-20'),
    }
    const provider = createHomeTelecom(upstream)
    const calls =
      name === 'home-telecom'
        ? [() => provider.listProducts(home), () => provider.listInstallDates(home, wish)]
        : [() => createBroadbandDatabase(upstream).findLine(home)]
    // The scripted response is valid for none of the calls; only the requests matter here.
    for (const call of calls) await assert.rejects(call(), UpstreamFailure)
    for (const { url, headers } of server.requests) {
      asked.push({ name, url: new URL(url ?? '', server.baseUrl) })
      assert.match(String(headers.traceparent), /^00-/)
    }
    await upstream.close()
  }
  return asked
}

const samples = generateSampleProperties()
const homes = [...samples.filter(({ specialCase }) => specialCase !== null), ...samples.slice(0, 12)]

describe('the upstream documents', () => {
  test('the documents describe exactly the operations that the adapters use', () => {
    const documented = names.flatMap((name) => Object.keys(documents.get(name)?.paths ?? {}))
    assert.deepEqual(
      documented,
      operations.map(({ path }) => path),
    )
  })

  for (const { name, path, answers } of operations) {
    test(`GET ${path}: the documented response schema is the one that the adapter validates against`, () => {
      assert.deepEqual(Object.keys(answers), ['200'])
      const { schema } = operation(name, path).responses[200]?.content['application/json'] ?? {}
      assert.ok(schema)
      assert.deepEqual(toComparableSchema(schema), toComparableSchema(JSON.parse(JSON.stringify(answers[200]))))
    })

    test(`GET ${path}: the adapter accepts the documented example responses`, () => {
      const { examples = {}, schema = {} } = operation(name, path).responses[200]?.content['application/json'] ?? {}
      assert.ok(Object.keys(examples).length >= 2)
      for (const [example, { value }] of Object.entries(examples)) {
        assert.equal(findShapeFault(answers[200] ?? {}, value), undefined, example)
        assert.equal(bodyFault(schema, value), undefined, example)
      }
    })
  }

  test('the documents state the limits that Housebill enforces on upstreams', () => {
    const inWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six']
    const { attemptMs, maxBytes, failuresToOpen, halfOpenAfterMs, retries } = defaultLimits
    assert.equal(retries, 1)
    for (const name of names) {
      const description = documents.get(name)?.info.description.replace(/\s+/g, ' ') ?? ''
      for (const words of [
        `complete within ${attemptMs / 1_000} seconds`,
        `at most ${maxBytes / 1_024} KiB`,
        `After ${inWords[failuresToOpen]} failures in a row, Housebill sends no requests for ${halfOpenAfterMs / 1_000} seconds`,
        'retries once',
      ])
        assert.ok(description.includes(words), `${name}: ${words}`)
    }
  })
})

test('the adapters send what the documents describe', async () => {
  for (const home of homes.slice(0, 3)) {
    const asked = await askEverything(home)
    assert.deepEqual(
      asked.map(({ name, url }) => [name, url.pathname]),
      operations.map(({ name, path }) => [name, path]),
    )
    for (const { name, url } of asked) {
      const documented = operation(name, url.pathname)
      assert.deepEqual(queryFaults(documented, url.searchParams), [])
      assert.ok(documented.parameters.some((each) => each.in === 'header' && each.name === 'traceparent'))
    }
  }
})

/** Sends one request to a simulator and checks the response against the document. */
async function simulatedFault(name: Name, url: URL, headers: Record<string, string> = {}) {
  const answer = await simulators[name].inject({ method: 'GET', url: url.pathname + url.search, headers })
  const { responses } = operation(name, url.pathname)
  const documented = responses[answer.statusCode] ?? responses.default
  const type = String(answer.headers['content-type']).split(';')[0] ?? ''
  const schema = documented?.content[type]?.schema
  const fault =
    schema === undefined ? `${answer.statusCode} ${type} is not documented` : bodyFault(schema, answer.json())
  return { status: answer.statusCode, headers: answer.headers, fault }
}

test('the simulators return what is documented for every kind of property', async () => {
  const seen = new Set<number>()
  for (const home of homes) {
    for (const { name, url } of await askEverything(home)) {
      const { status, fault } = await simulatedFault(name, url)
      assert.equal(fault, undefined, `${home.addressLine1}: ${url.pathname}`)
      seen.add(status)
    }
  }
  assert.deepEqual([...seen].sort(), [200, 422, 500])
})

test('the simulators return a documented error if a request is invalid or if a test makes them fail', async () => {
  const [home] = homes
  assert.ok(home)
  for (const { name, url } of await askEverything(home)) {
    const nonsense = await simulatedFault(name, new URL('?uprn=none', url))
    assert.deepEqual([nonsense.status, nonsense.fault], [400, undefined])
    const down = await simulatedFault(name, url, behaviourHeaders({ outcome: 'down', seconds: null }))
    assert.deepEqual([down.status, down.fault], [500, undefined])
    const busy = await simulatedFault(name, url, behaviourHeaders({ outcome: 'rate-limited', seconds: null }))
    assert.deepEqual([busy.status, busy.fault, busy.headers['retry-after']], [429, undefined, '30'])
    assert.ok(operation(name, url.pathname).responses[429]?.headers?.['Retry-After'])
  }
})
