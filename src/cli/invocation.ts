import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'
import { allVariables } from '../platform/config/env.ts'

/** A terminal, a file or a pipe that a command writes to. */
type Output = Writable & { isTTY?: boolean }

/** What the command line has of the process that it runs in. */
export interface Host {
  readonly stdout: Output
  readonly stderr: Output
  /** Who answers questions; a command asks only at a terminal. */
  readonly stdin?: Readable & { isTTY?: boolean }
  readonly environment: NodeJS.ProcessEnv
}

/** The deployment that a command works on. */
interface Deployment {
  environment: string
  publicUrl: string
  database: string
}

/** One call of the command line. */
export interface Invocation extends Host {
  readonly asJson: boolean
  /** The deployment that answers; undefined if the command uses none. Part of every JSON output. */
  deployment?: Deployment
  exitCode: number
}

/** The process itself. */
export const processHost: Host = {
  stdout: process.stdout,
  stderr: process.stderr,
  get stdin() {
    return process.stdin
  },
  environment: allVariables(),
}

const current = new AsyncLocalStorage<Invocation>()

/**
 * The call that the caller belongs to. A process can serve several calls at once, each with output and environment of
 * its own.
 */
export function invocation(): Invocation {
  return current.getStore() ?? { ...processHost, asJson: false, exitCode: 0 }
}

/** Runs `work` as part of this call. */
export function asInvocation<Result>(made: Invocation, work: () => Promise<Result>): Promise<Result> {
  return current.run(made, work)
}
