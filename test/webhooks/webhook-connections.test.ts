import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../support/wait-for.ts'
import { receiverCertificate, receiverKey, startReceiver } from './receiver-fixture.ts'
import { changingResolver, openSender } from './webhook-sender-fixture.ts'

test('send reuses its connections if each message is sent after the response to the previous one', async (t) => {
  const receiver = await startReceiver(t)
  const sender = openSender(t)
  const sendMany = async () => {
    for (let count = 0; count < 4; count += 1) {
      const { status } = await sender.send(`https://receiver.test:${receiver.port}/`)
      assert.equal(status, 200)
    }
  }
  await Promise.all([sendMany(), sendMany(), sendMany()])
  assert.deepEqual([receiver.received.length, receiver.connections()], [12, 3])
})

test('send reuses an open connection without a lookup, and looks the name up for a new one', async (t) => {
  const receiver = await startReceiver(t, (_received, response, count) => {
    if (count === 2) response.setHeader('connection', 'close')
    response.end('ok')
  })
  const resolver = changingResolver(['127.0.0.1'], ['10.0.0.1'])
  const sender = openSender(t, { resolver })
  const url = `https://receiver.test:${receiver.port}/`
  assert.equal((await sender.send(url)).status, 200)
  assert.equal((await sender.send(url)).status, 200)
  assert.deepEqual([receiver.connections(), resolver.lookups], [1, 1])
  assert.match((await sender.send(url)).error ?? '', /a private address/)
  assert.equal(receiver.received.length, 2)
})

test('a connection that is idle for a few seconds is closed, even if the receiver keeps it open; the next send looks the name up again', async (t) => {
  let isClosed = false
  const receiver = await startReceiver(t, (_received, response) => {
    response.socket?.once('close', () => {
      isClosed = true
    })
    response.setHeader('keep-alive', 'timeout=60')
    response.end('ok')
  })
  const resolver = changingResolver(['127.0.0.1'], ['10.0.0.1'])
  const sender = openSender(t, { resolver })
  const url = `https://receiver.test:${receiver.port}/`
  assert.equal((await sender.send(url)).status, 200)
  await waitFor('the connection is closed', () => isClosed)
  assert.match((await sender.send(url)).error ?? '', /a private address/)
})

test('send makes a full handshake on each new connection, so that the certificate is checked again', async (t) => {
  const reused: boolean[] = []
  const server = createServer({ cert: receiverCertificate, key: receiverKey }, (_request, response) =>
    response.setHeader('connection', 'close').end('ok'),
  )
  server.on('secureConnection', (socket) => reused.push(socket.isSessionReused()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const sender = openSender(t)
  for (let count = 0; count < 3; count += 1) {
    assert.equal((await sender.send(`https://receiver.test:${(server.address() as AddressInfo).port}/`)).status, 200)
    // A session ticket arrives after the response.
    await sleep(50)
  }
  assert.deepEqual(reused, [false, false, false])
})
