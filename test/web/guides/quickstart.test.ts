import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { checkout } from '../../cli/cli-fixture.ts'
import { temporaryFolder } from '../../support/embedded-postgres-fixture.ts'
import { loopbackOnlyEnvironment } from '../../support/loopback-only.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { findFreePort } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { openPage, shareBrowser } from '../pages/browser.ts'
import { openShell, readGuide, stepsOf } from './guide-shell.ts'

const guide = await readGuide('quickstart')
const [start, ...steps] = stepsOf(guide)

/** Runs the command of the guide that starts a sandbox, and returns its address once it has printed it. */
async function startAsTheGuideSays(t: TestContext): Promise<string> {
  const [install, command = ''] = start?.commands.split('\n') ?? []
  assert.equal(install, 'npm ci --omit=dev')
  const port = String(await findFreePort())
  const database = await createTestDatabase()
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...loopbackOnlyEnvironment,
    PORT: port,
    DATABASE_URL: database.connectionString,
    DATA_DIR: await temporaryFolder(t),
  }
  const server = spawn('bash', ['-c', command], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const ended = once(server, 'close')
  t.after(async () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM')
    await ended
    await database.drop()
  })
  const address = `http://localhost:${port}`
  for await (const line of createInterface(server.stdout))
    if (line.includes(`Housebill sandbox is ready at ${address}`)) return address
  assert.fail('the sandbox ended without printing its address')
}

/** Does in a browser what the guide tells the reader to do on the card page. */
async function typeTheCard(t: TestContext, address: string): Promise<void> {
  const browser = await shareBrowser()
  const page = await openPage(t, browser)
  await page.goto(address)
  const fields = [...guide.matchAll(/In \*\*(.+?)\*\*, type `(.+?)`/g)]
  assert.equal(fields.length, 3)
  for (const [, label = '', text = ''] of fields) {
    await page.getByLabel(label).click()
    await page.getByLabel(label).pressSequentially(text)
  }
  const [, button = '', result = ''] = /Press \*\*(.+?)\*\*\. The page says \*\*(.+?)\*\*/.exec(guide) ?? []
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('heading', { name: result }).waitFor()
}

test('following the quickstart word for word, from the start of a sandbox, ends with two contracts in force', async (t) => {
  const address = await startAsTheGuideSays(t)
  const shell = await openShell(t)
  for (const { commands, printed } of steps) {
    const step = { commands: commands.replaceAll('http://localhost:8080', address), printed }
    // A reader looks at the browser for a moment before the next command.
    if (printed?.trim() === 'ready')
      await waitFor('the notice of the card has arrived', async () => {
        const looked = await shell.follow({ ...step, printed: undefined })
        return looked === 'ready'
      })
    const output = await shell.follow(step)
    if (commands.includes('/sandbox/card-setup/')) await typeTheCard(t, output)
    if (commands.includes('field previewUrl')) {
      const draft = await fetch(output)
      assert.equal(draft.status, 200)
      assert.match(await draft.text(), /Ada Lovelace/)
    }
  }
  const contract = await readFile(join(shell.folder, 'contract.pdf'))
  assert.equal(contract.subarray(0, 5).toString(), '%PDF-')
})
