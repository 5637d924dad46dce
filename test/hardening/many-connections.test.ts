import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createLogger } from '../../src/app/logger.ts'
import { connectPartner } from '../support/client.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const lines: string[] = []
const log = createLogger('warn', { write: (line) => void lines.push(line) })
const serverLimits = { connectionsPerSite: 3, strangerIdleMs: 150, idleMs: 60_000 }
const service = await startTestService({}, { log, serverLimits })
const { port, hostname } = new URL(service.baseUrl)
after(() => service.stop())

const health = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'

/** Connects from an address of the loopback network, each of which is a site of its own. */
function open(localAddress: string, to = Number(port)): { socket: Socket; received(): string; closed: Promise<void> } {
  const socket = connect({ host: hostname, port: to, localAddress })
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
  })
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, received: () => received, closed }
}

async function droppedInMetrics(): Promise<string | undefined> {
  const text = await (await fetch(`${service.baseUrl}/metrics`, { headers: { connection: 'close' } })).text()
  return /^housebill_connections_dropped_total{reason="site"} (\d+)$/m.exec(text)?.[1]
}

test('connections beyond the limit of one site are closed at once, counted and logged; other sites still connect', async () => {
  const kept = Array.from({ length: 3 }, () => open('127.0.0.2'))
  await Promise.all(kept.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))))
  const excess = [open('127.0.0.2'), open('127.0.0.2')]
  await Promise.all(excess.map(({ closed }) => closed))
  assert.deepEqual(
    excess.map(({ received }) => received()),
    ['', ''],
  )
  const other = open('127.0.0.3')
  other.socket.write(health)
  await waitFor('the other site is served', () => other.received().startsWith('HTTP/1.1 200'))
  assert.equal(await droppedInMetrics(), '2')
  const [logged, ...more] = lines.filter((line) => line.includes('dropping connections'))
  const { dropped, reason, addressHash } = JSON.parse(logged ?? '')
  assert.deepEqual([dropped, reason, more], [{ all: 0, site: 1 }, 'site', []])
  assert.match(addressHash, /^[\w-]{16}$/)
  await Promise.all(kept.map(({ closed }) => closed))
  const again = open('127.0.0.2')
  again.socket.write(health)
  await waitFor('the site is served again', () => again.received().startsWith('HTTP/1.1 200'))
  for (const { socket } of [other, again]) socket.destroy()
})

test('a connection without an authenticated request is closed after the shorter idle time, which its responses announce', async () => {
  const silent = open('127.0.0.4')
  await silent.closed
  assert.equal(silent.received(), '')
  const stranger = open('127.0.0.4')
  stranger.socket.write(health)
  await stranger.closed
  assert.match(stranger.received(), /^HTTP\/1\.1 200[\s\S]*\r\nKeep-Alive: timeout=0\r\n/i)
})

test('a connection with an authenticated request stays open for the usual idle time, also after a request without a token', async () => {
  const { token } = await connectPartner(service.baseUrl, service.credentials)
  const partner = open('127.0.0.5')
  const list = `GET /partner-api/Quotes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const answered = () => partner.received().split('HTTP/1.1 ').slice(1)
  for (const [index, request] of [list, health, health].entries()) {
    partner.socket.write(request)
    await waitFor('the response', () => answered().length === index + 1)
    // A stranger that connects now is gone before this connection is used again.
    await open('127.0.0.6').closed
  }
  for (const response of answered()) assert.match(response, /^200[\s\S]*\r\nKeep-Alive: timeout=60\r\n/i)
  partner.socket.destroy()
})

test('connections of a trusted proxy are neither limited nor closed early, because they carry many clients', async () => {
  const proxied = await startTestService({ TRUSTED_PROXIES: '127.0.0.7' }, { serverLimits })
  try {
    const to = Number(new URL(proxied.baseUrl).port)
    const many = Array.from({ length: 6 }, () => open('127.0.0.7', to))
    for (let round = 1; round <= 2; round += 1) {
      for (const { socket } of many) socket.write(health)
      await waitFor('all are served', () =>
        many.every(({ received }) => received().split('HTTP/1.1 200').length === round + 1),
      )
      await open('127.0.0.8', to).closed
    }
    for (const { socket } of many) socket.destroy()
  } finally {
    await proxied.stop()
  }
})
