import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { createWebhookSender } from '../../src/adapters/webhook-sender/undici.ts'
import type { Database } from '../../src/db/database.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { startWebhookWorker } from '../../src/worker/webhooks/webhook-worker.ts'
import { untilListening } from './life-cycle-fixture.ts'
import { startReceiver, until } from './receiver-fixture.ts'
import { openLab, quoteStory, type WebhookLab } from './webhook-fixture.ts'

/** Longer than any test waits: whatever happens sooner was not found by the poll. */
const longestPauseMs = 60_000

/** A way to the lab's database that can be closed. A loop that meets it closed pauses for its longest pause. */
function switchable(lab: WebhookLab): { db: Database; isOpen: boolean; refused: number } {
  const state = { isOpen: false, refused: 0, db: lab.db }
  const connect = async () => {
    if (state.isOpen) return lab.db.pool.connect()
    state.refused += 1
    throw new Error('closed')
  }
  state.db = { ...lab.db, pool: Object.create(lab.db.pool, { connect: { value: connect } }) }
  return state
}

test('an event or a challenge, while no worker is about to look, is sent at once, as its commit wakes them', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const { resolver, connectionString, cipher } = lab
  const sender = createWebhookSender({ resolver, egress: { allowLoopback: true } })
  const way = switchable(lab)
  const worker = startWebhookWorker({
    db: way.db,
    connectionString,
    cipher,
    sender,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    settings: { retrySeconds: [], requireVerification: false },
    limits: { longestPauseMs, longestPauseUnnotifiedMs: longestPauseMs },
  })
  t.after(async () => {
    await worker.stop(0)
    await sender.close()
  })
  await untilListening(lab)
  // Every loop at its start, and again as the listening begins.
  await until('every loop has been refused and pauses', async () => {
    const { refused } = way
    await sleep(300)
    return refused > 0 && refused === way.refused
  })
  way.isOpen = true
  await lab.happen(quoteStory(1))
  await until('the event arrives', () => receiver.events().length === 1)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  await until('both challenges arrive', () => receiver.received.length === 3)
})

test('an event, when its process is killed between the commit and the notification, is found by another', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker()
  await until('it is verified', () => receiver.received.length === 1)
  const script = fileURLToPath(new URL('./killed-at-commit.ts', import.meta.url))
  const child = spawn(process.execPath, [script, lab.connectionString, lab.caller.partnerId, 'quote_1'], {
    stdio: 'inherit',
  })
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
  await until('its event arrives', () => receiver.events().length === 1, 60_000)
  assert.equal(receiver.events()[0]?.message.data.reference, 'last words')
})
