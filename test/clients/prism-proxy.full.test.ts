import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { recordOperations } from '../../scripts/generated/examples/journey.ts'
import { createRecorder } from '../../scripts/generated/examples/recorder.ts'
import { routes } from '../../src/http/routes/table.ts'
import { getToken } from '../support/client.ts'
import { findFreePort, startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'

const prism = fileURLToPath(new URL('../../node_modules/.bin/prism', import.meta.url))

test('Prism, as a validating proxy, finds no violation of the document in a call of every operation', async (t) => {
  const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
  t.after(() => service.stop())
  const receiver = await startReceiver(t)
  const folder = await mkdtemp(join(tmpdir(), 'housebill-prism-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'openapi.json')
  await writeFile(file, await (await fetch(`${service.baseUrl}/openapi.json`)).text())

  // With --errors, a request or a response that violates the document becomes an error, which the recorder rejects.
  const port = String(await findFreePort())
  const proxy = spawn(prism, ['proxy', file, service.baseUrl, '--errors', '--host', '127.0.0.1', '--port', port], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => {
    proxy.kill()
    if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit')
  })
  let output = ''
  proxy.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await waitFor('Prism listens', () => output.includes('Prism is listening'))

  const recorder = createRecorder({
    url: `${`http://127.0.0.1:${port}`}/partner-api`,
    token: await getToken(service.baseUrl, service.credentials),
    routes,
  })
  await recordOperations({
    recorder,
    receiverUrl: `https://localhost:${receiver.port}/webhooks`,
    receive: async (count) => {
      await waitFor('the receiver was sent the message', () => receiver.received.length >= count)
    },
  })
})
