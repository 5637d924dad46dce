import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
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
