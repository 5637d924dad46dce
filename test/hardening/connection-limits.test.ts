import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createLogger } from '../../src/app/logger.ts'
import { connectPartner } from '../support/client.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const lines: string[] = []
const log = createLogger('debug', { write: (line) => void lines.push(line) })
// Only the headers and an idle connection have short limits.
const serverLimits = { headersMs: 400, requestMs: 120_000, idleMs: 100, stalledMs: 240_000, checkEveryMs: 50 }
const service = await startTestService({}, { serverLimits })
const few = await startTestService(
  {},
  { log, serverLimits: { headersMs: 400, requestMs: 800, checkEveryMs: 50, requestsPerConnection: 3 } },
)
const crowded = await startTestService({}, { serverLimits: { connections: 16 } })
after(async () => {
  await service.stop()
  await few.stop()
  await crowded.stop()
})

/**
 * Sends a health request on a new connection and returns the response, or '' if it was turned away. When this resolves,
 * the server has read everything that arrived before the request.
 */
async function healthOf(baseUrl: string): Promise<string> {
  const socket = connect(portOf(baseUrl), '127.0.0.1')
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  return everything(socket)
}

const portOf = (baseUrl: string) => Number(new URL(baseUrl).port)

/** Everything received on a connection until either side closes it. */
function everything(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

test('headers that arrive too slowly or not at all get 408, and the connection is closed', async () => {
  for (const bytes of ['GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'G', '']) {
    const { status, body, headers } = await sendRaw(service.baseUrl, bytes)
    assert.equal(status, 408, bytes)
    assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
    const problem = JSON.parse(body)
    assert.deepEqual([problem.code, problem.status], ['request_timeout', 408])
    assert.equal(problem.requestId, headers.get('x-request-id'))
  }
})

test('a body that arrives too slowly gets 408 in the error format of its operation, and is not logged as an error', async () => {
  const slow = (path: string) =>
    sendRaw(
      few.baseUrl,
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"clientId":`,
    )
  const [operation, token] = await Promise.all([slow('/partner-api/Quotes'), slow('/partner-api/Auth/token')])
  assert.equal(operation.status, 408)
  assert.equal(JSON.parse(operation.body).code, 'request_timeout')
  assert.equal(token.status, 408)
  assert.deepEqual(Object.keys(JSON.parse(token.body)), ['error', 'error_description'])
  assert.equal(token.headers.get('cache-control'), 'no-store')
  const alarms = lines.filter((line) => JSON.parse(line).level === 'error')
  assert.deepEqual(alarms, [])
})

test('a sender that disconnects in the middle of a body leaves no error in the log', async () => {
  const socket = connect(portOf(few.baseUrl), '127.0.0.1')
  socket.write(
    'POST /partner-api/Quotes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  )
  await healthOf(few.baseUrl)
  socket.destroy()
  await healthOf(few.baseUrl)
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level === 'error'),
    [],
  )
})

test('an idle connection is closed', async () => {
  const { status } = await sendRaw(service.baseUrl, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.equal(status, 200)
})

test('the server abandons a response that the client does not read', async () => {
  const size = (await (await fetch(`${few.baseUrl}/openapi.json`)).text()).length
  // No other client can connect until the connection is closed.
  const single = await startTestService({}, { serverLimits: { stalledMs: 1_200, connections: 1 } })
  try {
    const socket = connect(portOf(single.baseUrl), '127.0.0.1')
    socket.pause()
    const asked = 300
    socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(asked))
    await waitFor('the connection is closed', () => healthOf(single.baseUrl))
    const received = await everything(socket.resume())
    assert.ok(received.length < asked * size, 'the rest never arrived')
  } finally {
    await single.stop()
  }
})

test('a connection that has carried the maximum number of requests is closed, and the last response announces it', async () => {
  const socket = connect(portOf(few.baseUrl), '127.0.0.1')
  const all = everything(socket)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  for (let count = 1; count <= 3; count += 1) {
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    await waitFor(`response ${count}`, () => received.split('HTTP/1.1 ').length > count)
  }
  const answers = (await all).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map((answer) => answer.slice(0, 3)),
    ['200', '200', '200'],
  )
  assert.match(answers[2] ?? '', /\r\nconnection: close\r\n/i)
})

/** Opens connections one after the other from an address, each with half a request. */
async function openHalf(baseUrl: string, localAddress: string, count: number): Promise<Socket[]> {
  const opened: Socket[] = []
  for (let made = 0; made < count; made += 1) {
    const socket = connect({ port: portOf(baseUrl), host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    opened.push(socket.resume())
  }
  return opened
}

const closedOf = (sockets: readonly Socket[]) => sockets.map(({ closed }) => closed)

test('a network that never authenticated has no reserve', async () => {
  const held = await openHalf(crowded.baseUrl, '127.0.0.2', 14)
  const [other] = await openHalf(crowded.baseUrl, '127.0.0.3', 1)
  await waitFor('the oldest is closed', () => held[0]?.closed)
  for (const socket of [...held, other]) socket?.destroy()
  await healthOf(crowded.baseUrl)
})

test('strangers cannot take the connections kept for a network that authenticated lately, and the oldest make room', async () => {
  await connectPartner(crowded.baseUrl, crowded.credentials)
  const held = await openHalf(crowded.baseUrl, '127.0.0.2', 20)
  assert.match(await healthOf(crowded.baseUrl), /^HTTP\/1\.1 200 /)
  await waitFor('the oldest are closed', () => closedOf(held).slice(0, 6).every(Boolean))
  assert.deepEqual(closedOf(held).slice(8), Array(12).fill(false))
  const [stranger] = await openHalf(crowded.baseUrl, '127.0.0.3', 1)
  await waitFor('the next one is closed', () => closedOf(held).filter(Boolean).length >= 7)
  assert.equal(stranger?.closed, false)
})

test('pipelined requests get their responses in order', async () => {
  const names = ['first', 'second', 'third']
  const requests = names.map((name) => `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${name}\r\n\r\n`)
  const { body } = await sendRaw(few.baseUrl, requests.join(''))
  const { headers } = await sendRaw(
    few.baseUrl,
    requests[0]?.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n') ?? '',
  )
  assert.equal(headers.get('x-request-id'), 'first')
  assert.deepEqual(
    [...body.matchAll(/x-request-id: (\w+)/gi)].map(([, name]) => name),
    ['second', 'third'],
  )
})

test('an error response to a later pipelined request comes after the earlier responses', async () => {
  const slowPath = `POST /partner-api/Auth/token HTTP/1.1\r\nHost: x\r\nX-Request-Id: before\r\nContent-Type: application/json\r\nContent-Length: ${JSON.stringify(few.credentials).length}\r\n\r\n${JSON.stringify(few.credentials)}`
  const { status, headers, body } = await sendRaw(few.baseUrl, `${slowPath}NOT HTTP AT ALL\r\n\r\n`)
  assert.equal(status, 200)
  assert.equal(headers.get('x-request-id'), 'before')
  assert.match(body, /^\{"access_token":"[^}]+\}HTTP\/1\.1 400 Bad Request\r\n/)
})
