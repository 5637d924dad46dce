import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { checkout } from './cli-fixture.ts'

/** Starts a serving command in a separate process group and resolves once it prints its address. */
export async function startServing(
  t: TestContext,
  environment: NodeJS.ProcessEnv,
  program: string,
  args: readonly string[],
) {
  const child: ChildProcess = spawn(program, args, {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = child
  assert.ok(child.stdout !== null && child.stderr !== null && pid !== undefined)
  const logged = text(child.stderr)
  const ended = once(child, 'close')
  t.after(() => {
    // A failed test may leave processes of the group behind.
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
  })
  const started = (async () => {
    for await (const line of createInterface(child.stdout as Readable)) {
      if (line.startsWith('{')) return JSON.parse(line)
    }
    assert.fail(await logged)
  })()
  const printed = await started
  // Discards later output. Without this, the process would block once the pipe is full.
  child.stdout.resume()
  return { started: printed, child, logged, ended }
}

/** Runs a command in a separate terminal. The test reads its output and can send keystrokes. */
export function openTerminal(t: TestContext, command: string, environment: NodeJS.ProcessEnv) {
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null'], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let text = ''
  const changed = new EventEmitter()
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    changed.emit('text')
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    /** Waits until the output matches the pattern, then returns everything printed so far. */
    async printed(pattern: RegExp): Promise<string> {
      const signal = AbortSignal.timeout(60_000)
      while (!pattern.test(text)) await once(changed, 'text', { signal })
      return text
    },
    press: (keys: string) => child.stdin.write(keys),
    ended,
  }
}
