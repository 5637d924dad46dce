import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { redeliver } from '../../src/webhooks/replay/redeliver.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { waitFor } from '../support/wait-for.ts'
import { dependenciesOf, untilVerification } from './life-cycle-fixture.ts'
import { receiverCertificate, receiverKey } from './receiver-fixture.ts'
import { openLab, statusChanges } from './webhook-fixture.ts'

const document = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')

/** The program with this name in docs/webhooks.md, as a partner would copy it. */
function documented(name: string): string {
  const [, program] = new RegExp(`\`\`\`js\\n(// ${name}\\n[^]*?)\`\`\``).exec(document) ?? []
  assert.ok(program !== undefined, name)
  return program
}

/** Returns a port that was free a moment ago. */
async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}

test('the documented receiver, copied unchanged, echoes the challenge and processes each event once', async (t) => {
  const lab = await openLab(t)
  const port = await findFreePort()
  const { webhookId, secret } = await lab.register({ url: `https://localhost:${port}/hooks` })
  const folder = await mkdtemp(join(tmpdir(), 'housebill-receiver-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const program = documented('receiver.mjs').replace('server.listen(9443)', `server.listen(${port}, '127.0.0.1')`)
  assert.ok(program.includes(String(port)))
  await writeFile(join(folder, 'receiver.mjs'), program)
  await writeFile(join(folder, 'key.pem'), receiverKey)
  await writeFile(join(folder, 'cert.pem'), receiverCertificate)
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  const env = { ...process.env, ...loopbackOnlyEnvironment, WEBHOOK_SECRET: secret }
  const receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => receiver.kill('SIGKILL'))
  let printed = ''
  receiver.stdout.on('data', (chunk) => {
    printed += String(chunk)
  })

  lab.startWorker({ retrySeconds: Array(50).fill(0.2) })
  await untilVerification(lab, webhookId, 'verified')
  await lab.happen(statusChanges(2))
  await waitFor('both are printed', () => printed.includes('step 0') && printed.includes('step 1'))
  const [first] = await lab.rows(
    `select delivery_id from deliveries join events using (event_id) where data::text like '%step 0%'`,
  )
  await waitFor(
    'that is recorded',
    async () =>
      (await lab.rows(`select from delivery_history where delivery_id = $1`, [first?.delivery_id])).length === 1,
  )
  await redeliver(dependenciesOf(lab), lab.caller, first?.delivery_id as Id<'delivery'>)
  const twice = () =>
    lab.rows(`select from deliveries where delivery_id = $1 and attempt_count = 2 and status = 'delivered'`, [
      first?.delivery_id,
    ])
  await waitFor('the first event has arrived again', async () => (await twice()).length === 1)
  assert.equal(printed.match(/step 0/g)?.length, 1)
})
