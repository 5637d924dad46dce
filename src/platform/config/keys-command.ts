import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

const maxOutputLength = 65_536

/**
 * Runs the command in a shell, without input, and returns what it prints on standard output. Its output, also that on
 * standard error, may hold keys, so no problem quotes it. After the time limit, it kills the command and everything
 * that the command started.
 */
export async function runKeysCommand(
  command: string,
  limitMs: number,
): Promise<{ value: string } | { problem: string }> {
  // A process group of its own, because killing the shell alone leaves the programs of a pipe running.
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const limit = AbortSignal.timeout(limitMs)
  try {
    const [output, [exitCode]] = await Promise.all([read(child.stdout), once(child, 'close', { signal: limit })])
    if (exitCode !== 0) return { problem: `failed (${describe(exitCode)}): run it by hand to see why` }
    const value = output.trim()
    return value === '' ? { problem: 'printed nothing on its standard output' } : { value }
  } catch {
    killGroup(child.pid)
    child.stdout.destroy()
    if (limit.aborted) return { problem: `did not end within ${limitMs / 1_000} seconds` }
    return { problem: 'failed (it could not be run, or printed too much): run it by hand to see why' }
  }
}

async function read(output: Readable): Promise<string> {
  let text = ''
  for await (const chunk of output.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > maxOutputLength) throw new Error('too much output')
  }
  return text
}

function describe(exitCode: unknown): string {
  return typeof exitCode === 'number' ? `exit code ${exitCode}` : 'it was killed'
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Everything in the group has already ended.
  }
}
