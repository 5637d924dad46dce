import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '../../src/compose/logger.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestService } from '../support/service.ts'

const lines: string[] = []
const log = createLogger('debug', { write: (line) => void lines.push(line) })
const short = { headersMs: 400, requestMs: 800, idleMs: 100, stalledMs: 1_200, checkEveryMs: 50 }
const service = await startTestService({}, { log, serverLimits: { ...short, connections: 12 } })
const few = await startTestService({}, { serverLimits: { requestsPerConnection: 3 } })
after(async () => {
  await service.stop()
  await few.stop()
})

/** Sends the bytes as they are and answers what came back, and after how many milliseconds the server had closed. */
async function timed(
  bytes: string,
): Promise<{ status: number; body: string; headers: Map<string, string>; ms: number }> {
  const start = performance.now()
  const answer = await sendRaw(service.baseUrl, bytes)
  return { ...answer, ms: performance.now() - start }
}

const portOf = (baseUrl: string) => Number(new URL(baseUrl).port)

/** All that arrives on a connection until it is closed, by whichever side. */
function everything(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

test('headers, when they come too slowly or not at all, are 408 and the connection is closed', async () => {
  for (const bytes of ['GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'G', '']) {
    const { status, body, headers, ms } = await timed(bytes)
    assert.equal(status, 408, bytes)
    assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
    const problem = JSON.parse(body)
    assert.deepEqual([problem.code, problem.status], ['request_timeout', 408])
    assert.equal(problem.requestId, headers.get('x-request-id'))
    assert.ok(ms > 300 && ms < 9_000, `${ms} ms`)
  }
})

test('headers, when they come too slowly, are not given the time that a whole request has', async () => {
  const patient = await startTestService({}, { serverLimits: { ...short, requestMs: 120_000, stalledMs: 240_000 } })
  try {
    const { status } = await sendRaw(patient.baseUrl, 'GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    assert.equal(status, 408)
  } finally {
    await patient.stop()
  }
})

test('a body, when it comes too slowly, is 408 in the form of the operation, and is nothing to raise an alarm about', async () => {
  const slow = (path: string) =>
    timed(
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

test('a body, when its sender goes away in the middle, leaves no error in the log', async () => {
  const socket = connect(portOf(service.baseUrl), '127.0.0.1')
  socket.write(
    'POST /partner-api/Quotes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  )
  await sleep(100)
  socket.destroy()
  await sleep(100)
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level === 'error'),
    [],
  )
})

test('a connection, when nothing is asked on it any more, is closed', async () => {
  const idle = await startTestService({}, { serverLimits: { ...short, stalledMs: 60_000 } })
  try {
    const start = performance.now()
    const { status } = await sendRaw(idle.baseUrl, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.equal(status, 200)
    // Node adds a second of its own, for callers that are just about to ask. No other limit would close it within a minute.
    assert.ok(performance.now() - start < 30_000)
  } finally {
    await idle.stop()
  }
})

test('an answer, when it is not fetched, is given up', async () => {
  const socket = connect(portOf(service.baseUrl), '127.0.0.1')
  socket.pause()
  const asked = 300
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(asked))
  await sleep(4_000)
  const size = (await (await fetch(`${service.baseUrl}/openapi.json`)).text()).length
  const received = await everything(socket.resume())
  assert.ok(received.length < asked * size, 'the rest never came')
})

test('a connection, when it has carried its number of requests, is told so and closed', async () => {
  const socket = connect(portOf(few.baseUrl), '127.0.0.1')
  const all = everything(socket)
  for (let count = 0; count < 3; count += 1) {
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    await sleep(60)
  }
  const answers = (await all).split('HTTP/1.1 ').slice(1)
  assert.deepEqual(
    answers.map((answer) => answer.slice(0, 3)),
    ['200', '200', '200'],
  )
  assert.match(answers[2] ?? '', /\r\nconnection: close\r\n/i)
})

test('connections, when there are too many, are turned away, and room is made as others end', async () => {
  const port = portOf(service.baseUrl)
  const held = Array.from({ length: 12 }, () => connect(port, '127.0.0.1'))
  await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  const ask = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return everything(socket)
  }
  assert.equal(await ask(), '')
  for (const socket of held) socket.destroy()
  await sleep(100)
  assert.match(await ask(), /^HTTP\/1\.1 200 /)
})

test('requests, when they are sent without waiting for answers, are answered in their order', async () => {
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

test('a refusal, when it is of what follows another request, comes after its answer', async () => {
  const slowPath = `POST /partner-api/Auth/token HTTP/1.1\r\nHost: x\r\nX-Request-Id: before\r\nContent-Type: application/json\r\nContent-Length: ${JSON.stringify(few.credentials).length}\r\n\r\n${JSON.stringify(few.credentials)}`
  const { status, headers, body } = await sendRaw(few.baseUrl, `${slowPath}NOT HTTP AT ALL\r\n\r\n`)
  assert.equal(status, 200)
  assert.equal(headers.get('x-request-id'), 'before')
  assert.match(body, /^\{"access_token":"[^}]+\}HTTP\/1\.1 400 Bad Request\r\n/)
})
