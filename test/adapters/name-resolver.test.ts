import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { type TestContext, test } from 'node:test'
import { createSystemResolver } from '../../src/adapters/name-resolver/system.ts'
import { NameResolutionFailed } from '../../src/domain/webhooks/name-resolver.ts'

type Kind = 'A' | 'AAAA'
type DnsAnswer = readonly Buffer[] | 'no such name' | 'broken' | 'silence'

/** A name server on loopback that knows what `zone` says; returns its address and the questions it was asked. */
async function startNameServer(t: TestContext, zone: (name: string, kind: Kind) => DnsAnswer) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    let end = 12
    const labels: string[] = []
    while (query[end] !== 0) {
      const length = query[end] ?? 0
      labels.push(query.toString('ascii', end + 1, end + 1 + length))
      end += 1 + length
    }
    const kind = query.readUInt16BE(end + 1) === 1 ? 'A' : 'AAAA'
    asked.push(`${kind} ${labels.join('.')}`)
    const answer = zone(labels.join('.'), kind)
    if (answer === 'silence') return
    const records = typeof answer === 'string' ? [] : answer
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | (answer === 'no such name' ? 3 : answer === 'broken' ? 2 : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    const question = query.subarray(12, end + 5)
    const sections = records.map((address) => {
      const record = Buffer.from([0xc0, 12, 0, kind === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, address.length])
      return Buffer.concat([record, address])
    })
    socket.send(Buffer.concat([header, question, ...sections]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  return { servers: [`127.0.0.1:${socket.address().port}`], asked }
}

const v4 = Buffer.from([192, 0, 2, 7])
const v6 = Buffer.from('20010db8000000000000000000000007', 'hex')

test('resolve, when a name has addresses of both kinds, gives all of them, asking for exactly that name', async (t) => {
  const { servers, asked } = await startNameServer(t, (_name, kind) => (kind === 'A' ? [v4, v4] : [v6]))
  const addresses = await createSystemResolver({ servers }).resolve('hooks.example')
  assert.deepEqual(addresses, ['192.0.2.7', '192.0.2.7', '2001:db8::7'])
  assert.deepEqual(asked.toSorted(), ['A hooks.example', 'AAAA hooks.example'])
})

test('resolve, when the name does not exist or has no address, gives none', async (t) => {
  const { servers, asked } = await startNameServer(t, (name) => (name === 'empty.example' ? [] : 'no such name'))
  const resolver = createSystemResolver({ servers })
  assert.deepEqual(await resolver.resolve('empty.example'), [])
  assert.deepEqual(await resolver.resolve('intranet'), [])
  assert(!asked.some((question) => question.includes('intranet.')), 'no search domains')
})

test('resolve, when only one kind can be answered, is content with it', async (t) => {
  const { servers } = await startNameServer(t, (_name, kind) => (kind === 'A' ? [v4] : 'broken'))
  assert.deepEqual(await createSystemResolver({ servers }).resolve('hooks.example'), ['192.0.2.7'])
})

test('resolve, when the name server is broken or silent, rejects within its time limit', async (t) => {
  for (const answer of ['broken', 'silence'] as const) {
    const { servers } = await startNameServer(t, () => answer)
    const begun = performance.now()
    await assert.rejects(
      createSystemResolver({ servers, timeoutMs: 400 }).resolve('hooks.example'),
      NameResolutionFailed,
    )
    assert(performance.now() - begun < 1_500)
  }
})

test('resolve, given localhost or an address, asks nobody', async (t) => {
  const { servers, asked } = await startNameServer(t, () => [v4])
  const resolver = createSystemResolver({ servers })
  assert.deepEqual(await resolver.resolve('localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(await resolver.resolve('app.localhost'), ['127.0.0.1', '::1'])
  assert.deepEqual(await resolver.resolve('203.0.113.9'), ['203.0.113.9'])
  assert.deepEqual(asked, [])
})
