import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { findFreePort, type ServiceUnderTest } from '../support/service.ts'

const program = fileURLToPath(new URL('../../examples/letting-agent/start.ts', import.meta.url))

/** The example application, as its users run it: a process with a folder of its own. */
export interface LettingAgent {
  address: string
  webhookUrl: string
  /** Ends the program without warning, and starts it again on the same folder. */
  restart(): Promise<void>
}

/** Starts the application for a partner of the service. It is stopped after the test. */
export async function startLettingAgent(t: TestContext, service: ServiceUnderTest): Promise<LettingAgent> {
  const [port, webhookPort] = [String(await findFreePort()), String(await findFreePort())]
  const env = {
    PATH: process.env.PATH,
    ...loopbackOnlyEnvironment,
    HOUSEBILL_URL: service.baseUrl,
    HOUSEBILL_CLIENT_ID: service.credentials.clientId,
    HOUSEBILL_CLIENT_SECRET: service.credentials.clientSecret,
    PORT: port,
    WEBHOOK_PORT: webhookPort,
    FOLDER: await temporaryFolder(t),
  }
  let running = await start(env)
  t.after(() => kill(running))
  return {
    address: `http://localhost:${port}`,
    webhookUrl: `https://localhost:${webhookPort}/webhooks`,
    async restart() {
      await kill(running)
      running = await start(env)
    },
  }
}

async function start(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) if (line.includes('http://localhost')) return child
  throw new Error('the application ended before it listened')
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Sends a message to a receiver with a signature that is not Housebill's. Returns the status of the response. */
export async function sendForgedMessage(url: string): Promise<number | undefined> {
  const seconds = String(Math.floor(Date.now() / 1_000))
  const headers = { 'webhook-id': 'event_1', 'webhook-timestamp': seconds, 'webhook-signature': `v1,${btoa('forged')}` }
  const sent = request(url, { method: 'POST', headers, rejectUnauthorized: false })
  sent.end('{"type":"customer.status.changed","data":{}}')
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}
