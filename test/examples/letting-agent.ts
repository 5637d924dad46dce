import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { findFreePort, type ServiceUnderTest } from '../support/service.ts'

const program = fileURLToPath(new URL('../../examples/letting-agent/start.ts', import.meta.url))

/**
 * Starts the example application for a partner of the service, as its users run it: a process of its own. It is stopped
 * after the test. Returns its address.
 */
export async function startLettingAgent(t: TestContext, service: ServiceUnderTest): Promise<string> {
  const port = String(await findFreePort())
  const env = {
    PATH: process.env.PATH,
    ...loopbackOnlyEnvironment,
    HOUSEBILL_URL: service.baseUrl,
    HOUSEBILL_CLIENT_ID: service.credentials.clientId,
    HOUSEBILL_CLIENT_SECRET: service.credentials.clientSecret,
    PORT: port,
  }
  const running = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => kill(running))
  for await (const line of createInterface(running.stdout))
    if (line.includes('http://localhost')) return `http://localhost:${port}`
  throw new Error('the application ended before it listened')
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
