import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../../src/config/env.ts'

const program = fileURLToPath(new URL('../../../bin/housebill.js', import.meta.url))

/** `housebill serve` in a process of its own, started and ready. */
export interface ServiceProcess {
  baseUrl: string
  /** What it printed; the secret only at first start. */
  clientId: string
  clientSecret: string | undefined
  /** Its log so far, entry by entry. */
  log: { level: string; msg: string }[]
  signal(name: NodeJS.Signals): void
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
}

/** Starts the service as an operator does, with nothing in its environment but what is given, and waits until it is ready. */
export async function startProcess(environment: Environment): Promise<ServiceProcess> {
  const child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } = spawn(
    process.execPath,
    [program, 'serve', '--json'],
    { env: { PATH: process.env.PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(child, 'exit').then(([code, signal]): number | NodeJS.Signals => signal ?? code)
  const log: ServiceProcess['log'] = []
  const unreadable: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('{')) log.push(JSON.parse(line))
    else unreadable.push(line)
  })
  const printed = once(createInterface({ input: child.stdout }), 'line').then(([line]): string => line)
  const first = await Promise.race([printed, ended])
  if (typeof first !== 'string' || !first.startsWith('{'))
    throw new Error(`the service ended with ${first}: ${unreadable.join('\n')}`)
  const { publicUrl, clientId, clientSecret } = JSON.parse(first)
  if (publicUrl === undefined) throw new Error(`the service ended with ${await ended}: ${first}`)
  return { baseUrl: publicUrl, clientId, clientSecret, log, signal: (name) => child.kill(name), ended }
}
