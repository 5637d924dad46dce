import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { WebhookRequest, WebhookSender } from '../../src/domain/webhooks/egress/webhook-sender.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { startWebhookWorker } from '../../src/worker/webhooks/webhook-worker.ts'
import { until } from './receiver-fixture.ts'
import { openLab, quoteStory } from './webhook-fixture.ts'

test('an attempt, as it is handed to the sender, may take 15 seconds, and a challenge 10', async (t) => {
  const lab = await openLab(t)
  await lab.register({ url: 'https://receiver.test/' })
  const handed: WebhookRequest[] = []
  const sender: WebhookSender = {
    async send(request) {
      handed.push(request)
      return { status: 200, body: Buffer.from('ok'), retryAfter: undefined, error: null }
    },
    close: async () => undefined,
  }
  const worker = startWebhookWorker({
    db: lab.db,
    connectionString: lab.connectionString,
    cipher: lab.cipher,
    sender,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    settings: { retrySeconds: [], requireVerification: false },
  })
  t.after(() => worker.stop(0))
  await lab.happen(quoteStory(1))
  await until('both are sent', () => handed.length === 2)
  const limits = new Map(handed.map(({ body, timeoutMs }) => [JSON.parse(body).type, timeoutMs]))
  assert.deepEqual(Object.fromEntries(limits), { 'webhook.verification': 10_000, 'quote.status.changed': 15_000 })
})
