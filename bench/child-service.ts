import { type ChildProcess, fork, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { loopbackOnlyEnvironment } from '../test/support/loopback-only.ts'

/** A child process that was started and is ready. */
export interface ServerProcess {
  readyAfterMs: number
  processId: number | undefined
  stop(): Promise<void>
}

export const credentials = { clientId: 'sb_bench', clientSecret: 'bench-secret' }

/** What "npm start" gives to Node, with its options. */
const startProgram = manifest.scripts.start.replace('exec node ', '').split(' ')

/**
 * Starts the service as an operator would (with the command that "npm start" runs), or another program that serves, and waits until it
 * reports that it is ready. What it logs goes to a file in `dataDir`; errors are printed when it stops.
 */
export async function startService(
  dataDir: string,
  port: number,
  environment: Record<string, string> = {},
  program: readonly string[] = startProgram,
): Promise<ServerProcess> {
  const startedAt = performance.now()
  mkdirSync(dataDir, { recursive: true })
  const log = join(dataDir, 'service.log')
  const output = openSync(log, 'a')
  const child = spawn(process.execPath, program, {
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
  await waitUntilReady(`http://127.0.0.1:${port}/health/ready`, child)
  return { readyAfterMs: performance.now() - startedAt, processId: child.pid, stop: () => stop(child) }
}

/** Prints the lines of a log except those of the security log, which is written at every level. */
function printErrors(log: string): void {
  const lines = readFileSync(log, 'utf8').split('\n')
  for (const line of lines.filter((each) => each !== '' && !each.includes('"log":"security"'))) console.error(line)
}

/** Starts a server that the service is compared with, and waits until it sends a message. */
export async function forkServer(program: string, parameters: readonly string[]): Promise<ServerProcess> {
  const startedAt = performance.now()
  const child = fork(program, parameters)
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

/** Waits until the URL answers with a status that is as expected; throws if the process ends or 60 s have passed. */
export async function waitUntilReady(
  url: string,
  child: ChildProcess,
  isReady: (status: number) => boolean = (status) => status === 200,
): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with exit code ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer !== undefined && isReady(answer.status)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the server was not ready within 60 s')
}

/** Asks a process to end and waits until it has. */
export function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  return ended
}
