import assert from 'node:assert/strict'
import dns from 'node:dns'
import { afterEach, mock, test } from 'node:test'
import { createNameLookup } from '../../../src/platform/outbound/name-lookup.ts'
import { failureOf, responseSchemas, startScriptedUpstream } from './upstream-fixture.ts'

const { server, connect } = await startScriptedUpstream()
type Answer = (error: Error | null, address?: unknown, family?: number) => void
/** Lookups that the system resolver has not completed yet. */
let asked: { name: string; answer: Answer }[] = []
afterEach(() => {
  mock.restoreAll()
  asked = []
})

function takeOver(): ReturnType<typeof createNameLookup> {
  const lookup = (name: string, _options: object, answer: Answer) => void asked.push({ name, answer })
  mock.method(dns, 'lookup', lookup as unknown as typeof dns.lookup)
  return createNameLookup()
}

const names = () => asked.map(({ name }) => name)
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('concurrent connections to a name share one lookup; later connections look it up again', async () => {
  const lookup = takeOver()
  const given: unknown[] = []
  for (let time = 0; time < 20; time += 1) lookup('one.example', { all: true }, (...answer) => given.push(answer))
  await settle()
  assert.deepEqual(names(), ['one.example'])
  asked[0]?.answer(null, [{ address: '192.0.2.1', family: 4 }], undefined)
  await settle()
  assert.equal(given.length, 20)
  for (const answer of given) assert.deepEqual(answer, [null, [{ address: '192.0.2.1', family: 4 }], undefined])
  lookup('one.example', { all: true }, () => undefined)
  await settle()
  assert.deepEqual(names(), ['one.example', 'one.example'])
})

test('when lookups block on a slow name server, one of the four threads stays free, and queued names are looked up in turn', async () => {
  const lookup = takeOver()
  const results: unknown[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    lookup(`${name}.example`, { family: 4 }, (error, address) => results.push(error?.message ?? address))
  await settle()
  assert.deepEqual(names(), ['a.example', 'b.example', 'c.example'])
  asked[1]?.answer(new Error('EAI_AGAIN'))
  await settle()
  assert.deepEqual([results, names().at(-1)], [['EAI_AGAIN'], 'd.example'])
  asked[0]?.answer(null, '192.0.2.1', 4)
  await settle()
  assert.deepEqual([results.at(-1), names().at(-1)], ['192.0.2.1', 'e.example'])
})

test('an upstream call uses the lookup, and a name that does not resolve is reported as unreachable', async () => {
  const lookup = takeOver()
  const baseUrl = server.baseUrl.replace('127.0.0.1', 'telecom.example')
  const found = connect({ attemptMs: 2_000 }, { baseUrl, lookup }).call({ path: '/thing', responses: responseSchemas })
  const missing = failureOf(
    connect({ attemptMs: 2_000 }, { baseUrl: 'http://gone.example', lookup }).call({
      path: '/thing',
      responses: responseSchemas,
    }),
  )
  await settle()
  assert.deepEqual(names().sort(), ['gone.example', 'telecom.example'])
  for (const { name, answer } of asked) {
    if (name === 'telecom.example') answer(null, [{ address: '127.0.0.1', family: 4 }])
    else answer(Object.assign(new Error('getaddrinfo ENOTFOUND gone.example'), { code: 'ENOTFOUND' }))
  }
  assert.equal((await found).body.speed, 150)
  const failure = await missing
  assert.deepEqual([failure.kind, /ENOTFOUND/.test(failure.message)], ['unreachable', true])
})
