import { DatabaseError } from 'pg'
import { loggableError } from '../app/logger.ts'
import { UnusableFileError } from '../app/operator-file.ts'
import { ConfigurationError } from '../platform/config/problems.ts'
import { IsolationError } from '../platform/db/check-isolation.ts'
import { connectWithinMs, ReadOnlyServerError } from '../platform/db/hosts.ts'
import { MigrationError, ServerVersionError } from '../platform/db/migration-error.ts'
import { PoolerError } from '../platform/db/required-settings.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { EmbeddedPostgresError } from '../platform/private-postgres/embedded-postgres-error.ts'
import { describeCommandError, type Failure } from './run-program.ts'

/** Describes a failure for the operator. Never quotes a secret or values of a database row. */
export function describeFailure(error: unknown): Failure {
  const foreseen = describeCommandError(error)
  if (foreseen !== undefined) return foreseen
  if (error instanceof DomainError) {
    const problems = error.fields.map(({ pointer, detail }) => ({ pointer, detail }))
    return { ...nothingMore, code: error.code, message: error.message, problems }
  }
  if (error instanceof UnusableFileError) {
    const { summary: message, problems } = error
    return { ...nothingMore, code: 'unusable_file', message, problems }
  }
  if (error instanceof ConfigurationError) {
    const problems = error.problems.map((detail) => ({ detail }))
    return { ...nothingMore, code: 'configuration', message: error.summary, problems }
  }
  if (error instanceof EmbeddedPostgresError) return { ...nothingMore, code: 'database', message: error.message }
  if (error instanceof ServerVersionError || error instanceof PoolerError)
    return { ...nothingMore, code: 'database', message: error.message }
  if (error instanceof IsolationError) return { ...nothingMore, code: 'isolation', message: error.message }
  if (error instanceof MigrationError) return { ...nothingMore, code: 'migration', message: error.message }
  return describeSystemFailure(error)
}

const nothingMore = { problems: [], details: {}, result: {} }

/** The SQLSTATEs with which PostgreSQL rejects a connection. */
const connectionRejections = /^(08|28|3D)|^42501$|^57P03$|^53300$/
/** How the driver says that its time limit for connecting has passed. */
const connectTimeout =
  /^timeout (expired|exceeded when trying to connect)$|^Connection terminated due to connection timeout$/
const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'])

function describeSystemFailure(error: unknown): Failure {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (error instanceof DatabaseError && connectionRejections.test(error.code ?? '')) {
    const message = `The database rejected the connection: ${error.message}. Check the database's URLs and the privileges of the users in them.`
    return { ...nothingMore, code: 'database', message }
  }
  if (code !== undefined && unreachable.has(code)) {
    const message = `The database cannot be reached (${code}). Check the database's URLs, and check that the server is running.`
    return { ...nothingMore, code: 'database', message }
  }
  if (error instanceof Error && connectTimeout.test(error.message)) {
    const message = `The database did not respond within ${connectWithinMs / 1_000} seconds. Check the database's URLs, and check that the server is running.`
    return { ...nothingMore, code: 'database', message }
  }
  if (error instanceof ReadOnlyServerError) {
    const message =
      "No server in the database's URLs accepts writes at the moment. Check that one of them is the primary."
    return { ...nothingMore, code: 'database', message }
  }
  const { type, message, stack, ...more } = { message: '', stack: '', ...(loggableError(error) as object) } as {
    type?: string
    message: string
    stack: string
  }
  const facts = Object.keys(more).length > 0 ? ` ${JSON.stringify(more)}` : ''
  return {
    ...nothingMore,
    code: 'internal_error',
    message: `Unexpected error in Housebill (${type ?? 'unknown'}): ${message}${facts}`,
    stack,
  }
}
