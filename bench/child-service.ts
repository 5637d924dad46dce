import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import manifest from '../package.json' with { type: 'json' }
import { loopbackOnlyEnvironment } from '../test/support/loopback-only.ts'
import type { Steps } from './bounded-run.ts'
import { startTreeTimer } from './cpu-time.ts'

/** A child process that was started and is ready. */
export interface ServerProcess {
  readyAfterMs: number
  /** The processor time until it was ready, with its children's; NaN if this is not Linux. */
  startMs: number
  processId: number
  stop(): Promise<void>
}

export const credentials = { clientId: 'sb_bench', clientSecret: 'bench-secret' }

/** What "npm start" gives to Node, with its options. */
const startProgram = manifest.scripts.start.replace('exec node ', '').split(' ')

/**
 * Starts the service as an operator would, with the command that "npm start" runs, and waits until it reports that it
 * is ready. What it logs goes to a file in `dataDir`; errors are printed when it stops.
 */
export function startService(
  run: Steps,
  dataDir: string,
  port: number,
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  const log = join(dataDir, 'service.log')
  const output = openSync(log, 'a')
  const begun = performance.now()
  const child = spawn(process.execPath, startProgram, {
    stdio: ['ignore', 'ignore', output],
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
  closeSync(output)
  child.once('exit', () => printErrors(log))
  const url = `http://127.0.0.1:${port}/health/ready`
  return whenReady(run, { child, begun, url, isReady: (status) => status === 200 })
}

/** Prints the errors of a log. */
function printErrors(log: string): void {
  const lines = readFileSync(log, 'utf8').split('\n')
  for (const line of lines.filter((each) => /^\{"level":"(?:error|fatal)"/.test(each))) console.error(line)
}

/** Starts another program that serves on this port, and waits until it answers. */
export function spawnServer(
  run: Steps,
  parameters: readonly string[],
  port: number,
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  const begun = performance.now()
  const child = spawn(process.execPath, parameters, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...loopbackOnlyEnvironment, ...environment },
  })
  return whenReady(run, { child, begun, url: `http://127.0.0.1:${port}/`, isReady: () => true })
}

/** Waits until the URL answers with a status that is as expected; throws if the process ends or 60 s have passed. */
async function whenReady(
  run: Steps,
  {
    child,
    begun,
    url,
    isReady,
  }: { child: ChildProcess; begun: number; url: string; isReady: (status: number) => boolean },
): Promise<ServerProcess> {
  const stop = () => stopProcess(child)
  run.atEnd(stop)
  const processId = child.pid ?? 0
  const spent = startTreeTimer(processId)
  while (performance.now() - begun < 60_000) {
    if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`)
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined && isReady(response.status))
      return { readyAfterMs: performance.now() - begun, startMs: spent(), processId, stop }
    await sleep(20)
  }
  throw new Error('the server was not ready within 60 s')
}

export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Asks a process to end, and waits until it has. After half a minute, kills it. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const impatience = setTimeout(() => child.kill('SIGKILL'), 30_000)
  child.kill('SIGTERM')
  await ended
  clearTimeout(impatience)
}
