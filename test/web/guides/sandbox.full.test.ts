import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestService } from '../../support/service.ts'
import { atService, openShell, readGuide, stepsOf } from './guide-shell.ts'

const service = await startTestService()
after(() => service.stop())

/**
 * Steps outside the shell of the reader: the start of the sandbox, a command that runs until it is ended, and one with
 * a place to fill in.
 */
const isElsewhere = /\bnpm start\b|\bopenssl\b|<webhookId>|\bhousebill-client listen\b/

test('following docs/sandbox.md word for word, from top to bottom, prints what it says', async (t) => {
  const shell = await openShell(t)
  const steps = stepsOf(atService(await readGuide('sandbox'), service))
  const followed = steps.filter(({ commands }) => !isElsewhere.test(commands))
  assert.ok(followed.length > 15)
  for (const step of followed) await shell.follow(step)
})
