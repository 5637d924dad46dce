import assert from 'node:assert/strict'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { checkout } from '../../cli/cli-fixture.ts'
import { findFreePort, startTestService } from '../../support/service.ts'
import { openShellAfterQuickstart, readGuide, stepsOf } from './guide-shell.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())

test('following docs/webhooks.md word for word shows the event of its first message, and no call is refused', async (t) => {
  const guide = (await readGuide('webhooks')).replaceAll('9443', String(await findFreePort()))
  const [, receiver = ''] = /^```js\n(\/\/ receiver\.mjs\n.*?)^```$/ms.exec(guide) ?? []
  const shell = await openShellAfterQuickstart(t, service)
  await writeFile(join(shell.folder, 'receiver.mjs'), receiver)
  await symlink(join(checkout, 'node_modules'), join(shell.folder, 'node_modules'))
  const steps = stepsOf(guide)
  assert.equal(steps.length, 8)
  // The library is there already: a test downloads nothing.
  for (const { commands, printed } of steps) {
    const output = await shell.follow({ commands: commands.replace(/^npm install .*\n/m, ''), printed })
    assert.doesNotMatch(output, /"requestId"/, commands)
  }
})
