import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../../src/platform/config/env.ts'
import { loopbackOnlyEnvironment } from '../../support/loopback-only.ts'

const program = fileURLToPath(new URL('../../../bin/housebill.js', import.meta.url))

/** A `housebill serve` process that is ready for requests. */
export interface ServiceProcess {
  baseUrl: string
  /** What the process printed. The secret is printed only at the first start. */
  clientId: string
  clientSecret: string | undefined
  /** The log entries so far. */
  log: { level: string; msg: string; fault?: string }[]
  /** Standard error output that is not part of the log, such as the error that ended the process. */
  lastWords: string[]
  signal(name: NodeJS.Signals): void
  /** The exit code, or the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>
}

/**
 * Starts the service as an operator does, with only the given environment, and waits until it is ready. `ofNode`
 * contains environment variables for Node itself and for libraries.
 */
export async function startServiceProcess(
  environment: Environment,
  ofNode: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } = spawn(
    process.execPath,
    [program, 'serve', '--json'],
    {
      env: { PATH: process.env.PATH, ...loopbackOnlyEnvironment, ...ofNode, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = once(child, 'exit').then(([code, signal]): number | NodeJS.Signals => signal ?? code)
  const log: ServiceProcess['log'] = []
  const lastWords: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line))
    else lastWords.push(line)
  })
  const printed = once(createInterface({ input: child.stdout }), 'line').then(([line]): string => line)
  const first = await Promise.race([printed, ended])
  if (typeof first !== 'string' || !first.startsWith('{'))
    throw new Error(`the service ended with ${first}: ${lastWords.join('\n')}`)
  const { publicUrl, clientId, clientSecret } = JSON.parse(first)
  if (publicUrl === undefined) throw new Error(`the service ended with ${await ended}: ${first}`)
  return {
    baseUrl: publicUrl,
    clientId,
    clientSecret,
    log,
    lastWords,
    signal: (name) => child.kill(name),
    ended,
  }
}
