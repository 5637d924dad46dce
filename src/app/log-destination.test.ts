import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogDestination } from './log-destination.ts'
import { createLogger } from './logger.ts'

/** A pipe that stays open, and the function that starts to read it. */
function openPipe(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'housebill-log-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return {
    fileDescriptor: openSync(path, 'r+'),
    startReading() {
      const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] })
      t.after(() => reader.kill())
      return reader.stdout.setEncoding('utf8')
    },
  }
}

test('while nobody reads the log, access lines beyond a bound are dropped and counted, and no other line is', async (t) => {
  const { fileDescriptor, startReading } = openPipe(t)
  const destination = createLogDestination(fileDescriptor, 100_000)
  const log = createLogger('info', destination)
  const security = log.child({ log: 'security' })
  for (let number = 0; number < 5_000; number += 1) {
    log.info({ number, padding: 'x'.repeat(80) }, 'request')
    if (number % 100 === 0) log.warn({ number }, 'a warning')
    if (number % 100 === 50) security.info({ number }, 'security')
  }
  const dropped = destination.droppedLines()
  assert.ok(dropped > 0 && dropped < 5_000, `${dropped} lines were dropped`)
  let text = ''
  startReading().on('data', (chunk: string) => {
    text += chunk
  })
  await new Promise<void>((resolve) => destination.flush(() => resolve()))
  while (!text.endsWith('\n') || text.split('\n').length - 1 < 5_100 - dropped) await sleep(10)
  const messages = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg as string)
  const count = (message: string) => messages.filter((each) => each === message).length
  assert.deepEqual([count('request'), count('a warning'), count('security')], [5_000 - dropped, 50, 50])
})

test('a warning is written at once, and an access line within a moment', async (t) => {
  const { fileDescriptor, startReading } = openPipe(t)
  const reader = startReading()
  const log = createLogger('info', createLogDestination(fileDescriptor))
  const read = async () => JSON.parse(String(await new Promise((resolve) => reader.once('data', resolve)))).msg
  const first = read()
  log.warn('a warning')
  assert.equal(await first, 'a warning')
  const second = read()
  log.info('request')
  assert.equal(await second, 'request')
})
