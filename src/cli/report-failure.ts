import { UnusableFileError } from '../compose/checked-file.ts'
import { ConfigurationError } from '../config/problems.ts'
import { EmbeddedPostgresError } from '../db/embedded/embedded-postgres-error.ts'
import { DomainError } from '../domain/kernel/errors.ts'

/** Failures that explain themselves: their message is for the operator. Anything else keeps its stack for a report. */
const explained = [ConfigurationError, EmbeddedPostgresError, UnusableFileError, DomainError]

/** Says on standard error what went wrong and sets exit code 1. */
export function reportFailure(error: unknown): void {
  process.exitCode = 1
  if (explained.some((kind) => error instanceof kind)) {
    console.error((error as Error).message)
    return
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  if (code === 'EADDRINUSE') {
    console.error('The port is in use already. Stop what listens there, or set PORT to another one.')
    return
  }
  console.error(error)
}
