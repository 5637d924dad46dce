import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { Environment } from '../../src/config/env.ts'
import { stayOnLoopback } from '../support/loopback-only.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { Refusal } from './printed.ts'

/** The shim that npx runs. */
export const bin = fileURLToPath(new URL('../../bin/housebill.js', import.meta.url))

/** The folder of the checkout. */
export const checkout = fileURLToPath(new URL('../../', import.meta.url))

/** Half of what a command costs is reading its modules: that is done once for all tests. */
const compileCache = join(tmpdir(), `housebill-tests-modules-${process.geteuid?.() ?? 0}`)

/** An empty database and folder of a test file's own, for commands without a server. */
export async function prepareEnvironment(): Promise<{
  environment: Environment
  folder: string
  drop(): Promise<void>
}> {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'housebill-cli-'))
  return {
    environment: { DATABASE_URL: database.connectionString, DATA_DIR: folder },
    folder,
    async drop() {
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What a command left behind. */
export interface Run {
  code: number | null
  stdout: string
  stderr: string
  /** Standard output as the one JSON object it must be, and of this shape where one is given (`printed.ts`). */
  json(): unknown
  json<Shape extends TSchema>(shape: Shape): Static<Shape>
}

/** Runs `housebill …` as an operator does: a process of its own, with nothing in its environment but what is given. */
export async function housebill(args: readonly string[], environment: Environment = {}): Promise<Run> {
  return runProgram(process.execPath, [bin, ...args], environment)
}

export async function runProgram(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  cwd = checkout,
): Promise<Run> {
  // Another Node than this one may be too old to read it.
  const guard = program === process.execPath ? stayOnLoopback : {}
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
  function json(): unknown
  function json<Shape extends TSchema>(shape: Shape): Static<Shape>
  function json(shape?: TSchema): unknown {
    const printed: unknown = JSON.parse(stdout)
    if (shape !== undefined) Value.Assert(shape, printed)
    return printed
  }
  return { code, stdout, stderr, json }
}

/** The command did what it was asked, and said nothing on standard error. */
export function assertDone(run: Run): void {
  assert.deepEqual({ code: run.code, stderr: run.stderr }, { code: 0, stderr: '' })
}

/** The command was refused: reasons on standard error without a stack, nothing on standard output. */
export function assertRefused(run: Run, reason: RegExp): void {
  assert.equal(run.code, 1)
  assert.equal(run.stdout, '')
  assert.match(run.stderr, reason)
  assert.doesNotMatch(run.stderr, /^\s+at /m)
}

/** With --json the refusal is an object too. */
export function assertRefusedAsJson(run: Run, code: string): void {
  assert.equal(run.code, 1)
  assert.equal(run.json(Refusal).error.code, code)
}
