import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type Environment, readEnvironment, type SecretName, secretNames } from './env.ts'
import { ConfigurationError } from './problems.ts'

const maxOutputLength = 65_536

/**
 * Runs the command in a shell, without input, and returns what it prints on standard output. Its output, also that on
 * standard error, may hold keys, so no problem quotes it. After the time limit, it kills the command and everything
 * that the command started.
 */
async function runKeysCommand(command: string, limitMs: number): Promise<{ value: string } | { problem: string }> {
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

/** How long `ENCRYPTION_KEYS_COMMAND` may take. */
const defaultCommandLimitMs = 10_000

/**
 * The environment with every secret in place: a setting with `_FILE` after its name is replaced by the text of that
 * file, and `ENCRYPTION_KEYS_COMMAND` by what the command prints. Throws ConfigurationError, which never quotes a file
 * or the command's output.
 */
export async function loadEnvironment(options: LoadingOptions = {}): Promise<Environment> {
  const { environment, problems } = await readSettings(options)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return environment
}

interface LoadingOptions {
  /** The secrets that are needed. */
  names?: readonly SecretName[]
  source?: NodeJS.ProcessEnv
  commandLimitMs?: number
}

/** The same with the problems, in place of the error. A secret that cannot be read is missing. */
export async function readSettings({
  names = secretNames,
  source,
  commandLimitMs = defaultCommandLimitMs,
}: LoadingOptions): Promise<{ environment: Environment; problems: readonly string[] }> {
  const given = readEnvironment(source)
  const problems = conflicts(given)
  if (problems.length > 0) return { environment: given, problems }
  const environment = { ...given }
  const readings = names.map(async (name) => {
    const file = given[`${name}_FILE`]
    if (file === undefined) return
    const text = await readSecret(file)
    if ('problem' in text) problems.push(`${name}_FILE ${text.problem}: ${file}`)
    else environment[name] = text.value
  })
  await Promise.all(readings)
  if (given.ENCRYPTION_KEYS_COMMAND !== undefined && names.includes('ENCRYPTION_KEYS')) {
    const output = await runKeysCommand(given.ENCRYPTION_KEYS_COMMAND, commandLimitMs)
    if ('problem' in output) problems.push(`ENCRYPTION_KEYS_COMMAND ${output.problem}`)
    else environment.ENCRYPTION_KEYS = output.value
  }
  return { environment, problems: problems.sort() }
}

type Outcome = { value: string } | { problem: string }

/** Each secret must come from one place, so that nobody replaces it in one and keeps using the other. */
function conflicts(environment: Environment): string[] {
  return secretNames.flatMap((name) => {
    const sources = [name, `${name}_FILE`, ...(name === 'ENCRYPTION_KEYS' ? ['ENCRYPTION_KEYS_COMMAND'] : [])]
    const set = sources.filter((each) => Object.hasOwn(environment, each))
    return set.length > 1 ? [`${set.join(' and ')} are set together: keep one of them`] : []
  })
}

async function readSecret(file: string): Promise<Outcome> {
  try {
    const value = (await readFile(file, 'utf8')).trim()
    return value === '' ? { problem: 'names an empty file' } : { value }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    return { problem: `names a file that cannot be read (${code})` }
  }
}
