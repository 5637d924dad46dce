import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AddressClass, classifyAddress } from '../../src/platform/outbound/address-class.ts'
import { createSystemResolver } from '../../src/platform/outbound/system.ts'
import { checkUrl } from '../../src/webhooks/endpoints/check-registration.ts'
import { createWebhookSender, type SenderOptions } from '../../src/webhooks/sender/webhook-sender.ts'
import type { EgressRules } from '../../src/webhooks/sender/webhook-target.ts'
import { startNameServer } from '../platform/outbound/name-server.ts'
import { type Responder, receiverCertificate, startReceiver } from './receiver-fixture.ts'
import { sampleMessage } from './webhook-sender-fixture.ts'

/*
 * DNS rebinding: the attacker's name server may answer each query differently. In this lab, 127.0.0.1 to .9 count as
 * public addresses;
 * 127.0.0.10 is a machine in the operator's network that accepts everything and must never be reached.
 */

const egress: EgressRules = {
  allowLoopback: false,
  classify: (address): AddressClass =>
    /^127\.0\.0\.\d$/.test(address) ? { kind: 'public', words: 'a public address' } : classifyAddress(address),
}
const outside = Buffer.from([127, 0, 0, 1])
const inside = Buffer.from([127, 0, 0, 10])
const closing: Responder = (_received, response) => response.writeHead(204, { connection: 'close' }).end()

/** A sender that uses the attacker's name server, which answers the nth IPv4 query with `answers(n)`. */
async function openLab(
  t: TestContext,
  responses: (question: number) => readonly Buffer[],
  options: Partial<SenderOptions> = {},
) {
  let questions = 0
  const { servers } = await startNameServer(t, (_name, kind) => {
    if (kind === 'AAAA') return []
    questions += 1
    return responses(questions)
  })
  const resolver = createSystemResolver({ servers })
  const sender = createWebhookSender({ resolver, egress, extraCa: [receiverCertificate], ...options })
  t.after(() => sender.close())
  return {
    questions: () => questions,
    register: (url: string) => checkUrl({ resolver, egress }, url),
    send: (url: string) =>
      sender.send({ url, headers: sampleMessage.headers, body: sampleMessage.body, timeoutMs: 60_000 }),
  }
}

/**
 * Listens on the same port of the public and the internal address, so that only the address decides which server is
 * reached.
 */
async function startBoth(t: TestContext, answer: Responder) {
  for (;;) {
    const insider = await startReceiver(t, closing, '127.0.0.10')
    try {
      const outsider = await startReceiver(t, answer, '127.0.0.1', insider.port)
      return { insider, outsider, url: `https://receiver.test:${insider.port}/` }
    } catch (error) {
      // Somebody else uses this port of the public address.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

test('nothing is sent to a webhook if its name begins to resolve to an internal address right after registration', async (t) => {
  const { insider, outsider, url } = await startBoth(t, closing)
  const lab = await openLab(t, (question) => (question === 1 ? [outside] : [inside]))
  assert.deepEqual(await lab.register(url), [])
  const { status, error } = await lab.send(url)
  assert.equal(status, null)
  assert.match(error ?? '', /resolves to a loopback address/)
  assert.deepEqual([insider.connections(), outsider.connections()], [0, 0])
})

test('if a name resolves to a different address at each lookup, only public addresses are contacted', async (t) => {
  const { insider, outsider, url } = await startBoth(t, closing)
  const lab = await openLab(t, (question) => (question % 2 === 1 ? [outside] : [inside]))
  const statuses: (number | null)[] = []
  for (let round = 0; round < 6; round += 1) {
    statuses.push((await lab.send(url)).status)
    // The receiver closes the connection, so the next send looks the name up again.
    await sleep(5)
  }
  assert.equal(lab.questions(), 6)
  assert.deepEqual([statuses.filter((status) => status === 204).length, outsider.connections()], [3, 3])
  assert.equal(insider.connections(), 0)
})

test('if a name resolves to internal and public addresses, in any order, only the public ones are contacted', async (t) => {
  for (const records of [
    [inside, outside],
    [outside, inside],
    [inside, inside, outside],
  ]) {
    const { insider, outsider, url } = await startBoth(t, closing)
    const lab = await openLab(t, () => records)
    assert.deepEqual(await lab.register(url), [])
    for (let round = 0; round < 3; round += 1) assert.equal((await lab.send(url)).status, 204)
    assert.deepEqual([insider.connections(), outsider.connections()], [0, 3])
  }
})

test('the internal address of a host name is not contacted even if its only public address rejects the connection', async (t) => {
  const insider = await startReceiver(t, closing, '127.0.0.10')
  const lab = await openLab(t, () => [outside, inside])
  const { error } = await lab.send(`https://receiver.test:${insider.port}/`)
  assert.equal(error, 'The connection was refused: nothing is listening at this address.')
  assert.equal(insider.connections(), 0)
})

test('a busy connection is closed at its maximum age, and not reopened if its host name now resolves to an internal address', async (t) => {
  const { insider, outsider, url } = await startBoth(t, (_received, response) => response.writeHead(204).end())
  const connectionLifeMs = 3_600_000
  const lab = await openLab(t, (question) => (question === 1 ? [outside] : [inside]), { connectionLifeMs })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  for (const passMs of [0, 0, connectionLifeMs - 1]) {
    t.mock.timers.setTime(Date.now() + passMs)
    assert.equal((await lab.send(url)).status, 204)
  }
  t.mock.timers.setTime(Date.now() + 2)
  assert.match((await lab.send(url)).error ?? '', /resolves to a loopback address/)
  assert.deepEqual([outsider.connections(), insider.connections(), lab.questions()], [1, 0, 2])
})
