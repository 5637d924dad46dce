import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { listenForWakeUps } from '../../src/platform/db/wake-up.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { waitFor } from '../support/wait-for.ts'
import { untilListening, urlOf } from './life-cycle-fixture.ts'
import { startReceiver } from './receiver-fixture.ts'
import { openLab, statusChanges } from './webhook-fixture.ts'

/** The pause that this test prolongs. The pauses of the worker's loop start at 20 ms and double. */
const heldPauseMs = 640

test('the commit of an event or a challenge wakes a pausing worker, which sends it', async (t) => {
  const limits = holdTimeouts((ms) => ms === heldPauseMs, t)
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: urlOf(receiver) })
  lab.startWorker()
  await untilListening(lab)
  const untilPausing = () => waitFor('the worker pauses', () => limits.running(heldPauseMs) === 1)
  await untilPausing()
  await lab.happen(statusChanges(1))
  await waitFor('the event arrives', () => receiver.events().length === 1)
  await untilPausing()
  await lab.register({ url: urlOf(receiver) })
  await waitFor('both challenges arrive', () => receiver.received.length === 3)
})

test('if a process is killed between committing an event and announcing it, a different process finds the event', async (t) => {
  const lab = await openLab(t)
  const receiver = await startReceiver(t)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  lab.startWorker()
  await waitFor('it is verified', () => receiver.received.length === 1)
  const script = fileURLToPath(new URL('./killed-at-commit.ts', import.meta.url))
  const child = spawn(process.execPath, [script, lab.connectionString, lab.caller.partnerId, 'quote_1'], {
    stdio: 'inherit',
  })
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
  await waitFor('its event arrives', () => receiver.events().length === 1)
  assert.equal(receiver.events()[0]?.message.data.reference, 'last words')
})

test('a listener that no notification reaches, as behind a pooler, says so, with the setting that helps', async (t) => {
  const limits = holdTimeouts((ms) => ms === 8_000, t)
  const [lab, elsewhere] = [await openLab(t), await openLab(t)]
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push(line) })
  // Its own notifications go to another database.
  const listener = listenForWakeUps({ ...lab, db: elsewhere.db, channel: 'test', onWake: () => undefined, log })
  t.after(() => listener.close())
  await waitFor('it listens', () => limits.running(8_000) === 1)
  assert.deepEqual(logged, [])
  limits.pass(8_000)
  assert.match(logged.join(), /notifications of PostgreSQL do not arrive.*DATABASE_DIRECT_URL/)
  assert.equal(listener.receivesNotifications, false)
})
