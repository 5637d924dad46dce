import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { NameResolver } from '../../src/platform/outbound/name-lookup.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Responder, startReceiver } from './receiver-fixture.ts'
import { changingResolver, openSender, sampleMessage } from './webhook-sender-fixture.ts'

const { body, messageId } = sampleMessage

/** Starts a plain TCP server on a free port; after the test it closes with all its connections. */
async function startTcpServer(t: TestContext, onConnection: (socket: Socket) => unknown): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // The client may reset the connection.
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        for (const socket of sockets) socket.destroy()
      }),
  )
  return (server.address() as AddressInfo).port
}

test('send returns status, body and Retry-After of the response', async (t) => {
  const receiver = await startReceiver(t, (_received, response) => {
    response.writeHead(503, { 'retry-after': '30' })
    response.end('busy')
  })
  const sender = openSender(t)
  const answer = await sender.send(`https://Receiver.test.:${receiver.port}/a?b=c#d`)
  assert.deepEqual(answer, { status: 503, body: Buffer.from('busy'), retryAfter: '30', error: null })
  const [received] = receiver.received
  assert.deepEqual(
    [received?.path, received?.body, received?.headers.host],
    ['/a?b=c', body, `receiver.test:${receiver.port}`],
  )
  assert.equal(received?.headers['webhook-id'], messageId)
})

test('send tries the next address if the first does not respond', async (t) => {
  const receiver = await startReceiver(t)
  const sender = openSender(t, { resolver: changingResolver(['127.0.0.3', '127.0.0.1']) })
  assert.equal((await sender.send(`https://receiver.test:${receiver.port}/`)).status, 200)
})

test('send contacts nothing if the URL itself names a forbidden address', async (t) => {
  const receiver = await startReceiver(t, undefined, '127.0.0.10')
  const sender = openSender(t)
  for (const host of ['127.0.0.10', '0x7f.0.0.10', '2130706442', '[::ffff:127.0.0.10]', '0.0.0.0', '[::1]']) {
    const answer = await sender.send(`https://${host}:${receiver.port}/`)
    assert.match(answer.error ?? '', /only delivered to public addresses/, host)
  }
  assert.equal(receiver.connections(), 0)
})

test('send does not follow redirects', async (t) => {
  const target = await startReceiver(t)
  const receiver = await startReceiver(t, (_received, response) => {
    response.writeHead(307, { location: `https://receiver.test:${target.port}/` })
    response.end()
  })
  const answer = await openSender(t).send(`https://receiver.test:${receiver.port}/`)
  assert.deepEqual([answer.status, answer.error], [307, null])
  assert.equal(target.connections(), 0)
})

test('send reads 64 KiB of an endless response and closes the connection', async (t) => {
  let written = 0
  let closed = false
  const flood: Responder = (_received, response) => {
    response.on('close', () => {
      closed = true
    })
    const pour = () => {
      while (!closed && response.write(Buffer.alloc(16_384, 'x'))) written += 16_384
    }
    response.on('drain', pour)
    pour()
  }
  const receiver = await startReceiver(t, flood)
  const answer = await openSender(t).send(`https://receiver.test:${receiver.port}/`)
  assert.deepEqual([answer.status, answer.error, answer.body.length], [200, null, 65_536])
  await waitFor('the connection is closed', () => closed)
  assert(written < 20_000_000, `${written} bytes written`)
})

test('send ends at its time limit if the response is missing, incomplete or very slow', async (t) => {
  const responses: Record<string, Responder> = {
    nothing: () => undefined,
    half: (_received, response) => response.write('half'),
    drip: (_received, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    },
  }
  const send = async ([name, answer]: [string, Responder]) => {
    const receiver = await startReceiver(t, answer)
    // Long enough for the handshake and the headers to come first.
    const { status, error } = await openSender(t).send(`https://receiver.test:${receiver.port}/`, 4_000)
    assert.equal(status, name === 'nothing' ? null : 200)
    assert.equal(
      error,
      name === 'nothing' ? 'No response arrived within 4 seconds.' : 'The response was not complete within 4 seconds.',
    )
  }
  await Promise.all(Object.entries(responses).map(send))
})

test('send ends at its time limit even if the name servers or the handshake hang', async (t) => {
  const port = await startTcpServer(t, () => undefined)
  const handshake = await openSender(t).send(`https://receiver.test:${port}/`, 300)
  assert.equal(handshake.error, 'No response arrived within 0.3 seconds.')
  const resolver: NameResolver = { resolve: () => new Promise(() => undefined) }
  const lookup = await openSender(t, { resolver }).send('https://receiver.test:4433/', 300)
  assert.equal(lookup.error, 'No response arrived within 0.3 seconds.')
})

test('send sends nothing if the certificate is untrusted or for a different host name', async (t) => {
  const receiver = await startReceiver(t)
  const untrusted = await openSender(t, { extraCa: [] }).send(`https://receiver.test:${receiver.port}/`)
  assert.equal(untrusted.error, "The receiver's TLS certificate is self-signed.")
  const misnamed = await openSender(t).send(`https://other.test:${receiver.port}/`)
  assert.equal(misnamed.error, "The receiver's TLS certificate is for a different host name.")
  assert.deepEqual(receiver.received, [])
})

test('if a sandbox allows loopback, send accepts any certificate and port there, but still only TLS', async (t) => {
  const receiver = await startReceiver(t, undefined, '127.0.0.10')
  const rules = { extraCa: [], egress: { allowLoopback: true }, resolver: changingResolver(['127.0.0.10']) }
  const sender = openSender(t, rules)
  assert.equal((await sender.send(`https://other.test:${receiver.port}/`)).status, 200)
  assert.equal((await sender.send(`https://127.0.0.10:${receiver.port}/`)).status, 200)
  assert.match((await sender.send(`http://127.0.0.10:${receiver.port}/`)).error ?? '', /must start with https/)
})

test('send reports a server that does not speak HTTP or TLS', async (t) => {
  const port = await startTcpServer(t, (socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
  const answer = await openSender(t).send(`https://receiver.test:${port}/`)
  assert.deepEqual([answer.status, answer.error], [null, 'The TLS handshake with the receiver failed.'])
})

test('send stops reading endless response headers', async (t) => {
  const receiver = await startReceiver(t, (_received, response) => {
    response.writeHead(200, { 'x-padding': 'x'.repeat(100_000) }).end()
  })
  const answer = await openSender(t).send(`https://receiver.test:${receiver.port}/`)
  assert.deepEqual([answer.status, answer.error], [null, 'The response headers are too long.'])
})

test('send returns a compressed response just under the size limit exactly as it was received', async (t) => {
  const bytes = Buffer.alloc(65_535, 7)
  const receiver = await startReceiver(t, (_received, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
  })
  const answer = await openSender(t).send(`https://receiver.test:${receiver.port}/`)
  assert.deepEqual([answer.status, answer.error, answer.body.equals(bytes)], [200, null, true])
})
