import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { announceContractVersions } from '../../src/back-office/contract-feed/read-contract-feed.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { startWebhookWorker } from '../../src/webhooks/delivery/webhook-worker.ts'
import type { WebhookRequest, WebhookSender } from '../../src/webhooks/sender/webhook-sender.ts'
import { waitFor } from '../support/wait-for.ts'

import { openLab, statusChanges } from './webhook-fixture.ts'

test('an attempt may take 15 seconds for an event and 10 for a challenge, and its lease expires within 25', async (t) => {
  const lab = await openLab(t)
  await lab.register({ url: 'https://receiver.test/' })
  const handed: WebhookRequest[] = []
  const leaseSeconds: number[] = []
  const sender: WebhookSender = {
    async send(request) {
      handed.push(request)
      const [{ seconds } = {}] = await lab.rows(
        'select extract(epoch from max(leased_until) - now())::float as seconds from delivery_queue',
      )
      leaseSeconds.push(Number(seconds))
      return { status: 200, body: Buffer.from('ok'), retryAfter: undefined, error: null }
    },
    close: async () => undefined,
  }
  const worker = startWebhookWorker({
    db: lab.db,
    connectionString: lab.connectionString,
    cipher: lab.cipher,
    sender,
    announceVersions: announceContractVersions,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    settings: { retrySeconds: [], requireVerification: false },
  })
  t.after(() => worker.stop(0))
  await lab.happen(statusChanges(1))
  await waitFor('both are sent', () => handed.length === 2)
  const limits = new Map(handed.map(({ body, timeoutMs }) => [JSON.parse(body).type, timeoutMs]))
  assert.deepEqual(Object.fromEntries(limits), { 'webhook.verification': 10_000, 'quote.status.changed': 15_000 })
  await waitFor('both leases have been read', () => leaseSeconds.length === 2)
  // Another worker looks for expired leases every 5 seconds, so a delivery is sent again within 30 seconds of a crash.
  assert.ok(
    leaseSeconds.every((seconds) => seconds <= 25),
    String(leaseSeconds),
  )
})
