import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { WebhookLab } from './webhook-fixture.ts'

const script = fileURLToPath(new URL('./sending-process.ts', import.meta.url))

/** Starts a process that runs a worker on the lab's database. `kill` sends SIGKILL. */
export async function startSendingProcess(
  t: TestContext,
  lab: WebhookLab,
  leaseSeconds: number,
): Promise<{ kill(): Promise<void> }> {
  const child = spawn(process.execPath, [script, lab.connectionString, lab.key.toString('hex'), String(leaseSeconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  await once(child.stdout, 'data')
  return { kill }
}
