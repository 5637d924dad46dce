import { type ChildProcess, fork, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { loopbackOnlyEnvironment } from '../test/support/loopback-only.ts'

/** A child process that was started and is ready. */
export interface ServerProcess {
  readyAfterMs: number
  processId: number | undefined
  stop(): Promise<void>
}

export const credentials = { clientId: 'sb_bench', clientSecret: 'bench-secret' }

/**
 * Starts the service as an operator would (with the command that "npm start" runs), or another program that serves, and waits until it
 * reports that it is ready.
 */
export async function startService(
  dataDir: string,
  port: number,
  environment: Record<string, string> = {},
  program: readonly string[] = ['src/main.ts', 'serve'],
): Promise<ServerProcess> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...loopbackOnlyEnvironment,
      DATA_DIR: dataDir,
      PORT: String(port),
      SANDBOX_CLIENT_ID: credentials.clientId,
      SANDBOX_CLIENT_SECRET: credentials.clientSecret,
      RATE_LIMIT_PER_SECOND: '0',
      TOKEN_RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'error',
      ...environment,
    },
  })
  await waitUntilReady(`http://127.0.0.1:${port}/health/ready`, child)
  return { readyAfterMs: performance.now() - startedAt, processId: child.pid, stop: () => stop(child) }
}

/** Starts the bare Fastify server that the service is compared with. */
export async function startBareServer(connectionString: string, port: number): Promise<ServerProcess> {
  const startedAt = performance.now()
  const child = fork('bench/bare-server.ts', [connectionString, String(port)])
  await new Promise((resolve) => child.once('message', resolve))
  return { readyAfterMs: performance.now() - startedAt, processId: child.pid, stop: () => stop(child) }
}

export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the service ended with exit code ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the service was not ready within 60 s')
}

function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  return ended
}
