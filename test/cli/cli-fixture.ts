import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Environment } from '../../src/platform/config/env.ts'
import { keyFileIn, readOrCreateKeyFile } from '../../src/platform/config/secrets.ts'
import { type CommandOutput, runCommand } from '../support/command-line.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { CommandError } from './command-output.ts'

/** The script that npx runs. */
export const bin = fileURLToPath(new URL('../../bin/housebill.js', import.meta.url))

/** The root folder of this checkout. */
export const checkout = fileURLToPath(new URL('../../', import.meta.url))

// Loading modules is half of the cost of a command, so all tests share one compile cache.
const compileCache = join(tmpdir(), `housebill-tests-modules-${process.geteuid?.() ?? 0}`)

/** Creates a migrated database and a folder with keys for a test file whose commands run without a server. */
export async function prepareEnvironment(): Promise<{
  environment: Environment
  folder: string
  drop(): Promise<void>
}> {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'housebill-cli-'))
  await readOrCreateKeyFile(keyFileIn(folder))
  return {
    environment: { DATABASE_URL: database.connectionString, DATA_DIR: folder },
    folder,
    async drop() {
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The result of a command. */
export interface CommandResult {
  code: number | null
  stdout: string
  /** Without the line that names the deployment. */
  stderr: string
  /** That line, or '' if there is none. */
  deployment: string
  /**
   * Standard output, parsed as a single JSON object and checked against a shape from `command-output.ts` if one is
   * given.
   */
  json(): unknown
  json<Shape extends TSchema>(shape: Shape): Static<Shape>
}

/** Runs `housebill …` in this process, with only the given environment. */
export async function housebill(args: readonly string[], environment: Environment = {}): Promise<CommandResult> {
  return resultOf(await runCommand(args, environment))
}

/** Runs `housebill …` as an operator does, in a process of its own with only the given environment. */
export async function launch(args: readonly string[], environment: Environment = {}): Promise<CommandResult> {
  return runProgram(process.execPath, [bin, ...args], environment)
}

export async function runProgram(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  cwd = checkout,
): Promise<CommandResult> {
  // A different version of Node may be too old to load the loopback guard.
  const guard = program === process.execPath ? loopbackOnlyEnvironment : {}
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...guard, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return resultOf({ stdout, stderr, code })
}

function resultOf({ code, stdout, stderr: everything }: CommandOutput): CommandResult {
  const [deployment] = /^Deployment: .*\n/m.exec(everything) ?? ['']
  const stderr = everything.replace(deployment, '')
  function json(): unknown
  function json<Shape extends TSchema>(shape: Shape): Static<Shape>
  function json(shape?: TSchema): unknown {
    const parsed = JSON.parse(stdout)
    const { deployment: _deployment, ...printed } = parsed
    if (Array.isArray(parsed)) return parsed
    if (shape !== undefined) Value.Assert(shape, printed)
    return printed
  }
  return { code, stdout, stderr, deployment, json }
}

/** Asserts that the command succeeded and wrote nothing to standard error. */
export function assertSucceeded(run: CommandResult): void {
  assert.deepEqual({ code: run.code, stderr: run.stderr }, { code: 0, stderr: '' })
}

/**
 * Asserts that the command failed with this reason on standard error, without a stack trace, and wrote nothing to
 * standard output.
 */
export function assertFailed(run: CommandResult, reason: RegExp): void {
  assert.equal(run.code, 1)
  assert.equal(run.stdout, '')
  assert.match(run.stderr, reason)
  assert.doesNotMatch(run.stderr, /^\s+at /m)
}

/** Asserts that the command, run with --json, failed and printed an error object. */
export function assertFailedAsJson(run: CommandResult, code: string): void {
  assert.equal(run.code, 1)
  assert.equal(run.json(CommandError).error.code, code)
}
