import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { readSource } from '../structure/tree.ts'
import { waitFor } from '../support/wait-for.ts'

test('without systemd, a process whose event loop hangs is ended, and the log says why', async (t) => {
  const child = startWatched(t, {}, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)')
  const logged = text(child.stderr)
  const [code, signal] = await once(child, 'close')
  assert.deepEqual({ code, signal }, { code: null, signal: 'SIGKILL' })
  const { level, msg } = JSON.parse(await logged)
  assert.deepEqual({ level, msg }, { level: 'fatal', msg: 'the event loop has hung for 0.3 s; ending the process' })
})

test('under systemd, the event loop notifies it again and again, in the time that the unit sets', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'housebill-notify-'))
  t.after(() => rm(folder, { recursive: true }))
  const notified = join(folder, 'notified')
  await writeFile(notified, '')
  await writeFile(join(folder, 'systemd-notify'), '#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n', { mode: 0o755 })
  const systemd = { NOTIFY_SOCKET: notified, WATCHDOG_USEC: '30000000' }
  const path = { PATH: [folder, process.env.PATH].join(delimiter) }
  startWatched(t, { ...systemd, ...path }, 'setInterval(() => undefined, 1_000)')
  const again = /^(?:WATCHDOG=1\n){3,}$/
  await waitFor('systemd is notified again', async () => again.test(await readFile(notified, 'utf8')))

  const unit = readSource('deploy/systemd/housebill@.service').text
  const { text: program } = readSource('src/cli/serve/watch-event-loop.ts')
  const [, seconds] = /longestHangMs = (\d+)_000\n/.exec(program) ?? []
  assert.ok(unit.includes(`\nNotifyAccess=all\nWatchdogSec=${seconds}\n`))
})

/** A process whose event loop may hang for 0.3 s, and which then runs `program`. */
function startWatched(t: TestContext, environment: NodeJS.ProcessEnv, program: string) {
  const watch = new URL('../../src/cli/serve/watch-event-loop.ts', import.meta.url)
  const script = `import { watchEventLoop } from '${watch}'; watchEventLoop(process.env, console, 300); ${program}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}
