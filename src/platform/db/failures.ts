import { DatabaseError } from 'pg'
import { DomainError } from '../kernel/errors.ts'
import { ReadOnlyServerError } from './hosts.ts'

/** SQLSTATEs that mean "not now": nothing is wrong with the statement, and it may succeed later. */
const unavailableSqlStates = new Set([
  // Connection exceptions.
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  // Disk space, memory or connections are used up, or a configured limit was reached.
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  // The connection was ended or rejected: the server was shut down by an operator, has crashed or is starting up, or
  // the session was idle for too long.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  // Cancelled by the time limit of a statement, an idle transaction or a whole transaction.
  '57014',
  '25P03',
  '25P04',
  // Disk I/O failed, or the operating system returned another error.
  '58000',
  '58030',
  // Read-only: a failover is under way.
  '25006',
  // Deadlock, serialisation failure or lock not available: a retry may succeed.
  '40P01',
  '40001',
  '55P03',
])

/**
 * The PostgreSQL source files that write to disk. An exceeded disk quota (EDQUOT) or file size limit (EFBIG) has no
 * SQLSTATE of its own. Both are reported as XX000, "internal error", and only the source file distinguishes them from a
 * bug.
 */
const fileWritingSources = new Set(['md.c', 'fd.c', 'buffile.c'])

const unavailableSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/**
 * Turns errors that mean "the database cannot do its work right now" into `service_unavailable` (503, no partial
 * changes). Returns other errors unchanged. If the connection broke during a commit, the outcome is unknown until the
 * request is retried with the same key.
 */
export function asDependencyFailure(error: unknown): unknown {
  if (error instanceof DomainError || !(error instanceof Error)) return error
  if (!isUnavailable(error)) return error
  return new DomainError(
    'service_unavailable',
    'The database is unavailable at the moment. No partial changes were saved. Retry shortly; for a POST, use the same Idempotency-Key.',
    {
      retryAfterSeconds: 2,
      cause: error,
    },
  )
}

function isUnavailable(error: Error): boolean {
  if (isStaleStatement(error)) return true
  if (error instanceof DatabaseError) {
    if (error.code === 'XX000') return error.file !== undefined && fileWritingSources.has(error.file)
    return error.code !== undefined && unavailableSqlStates.has(error.code)
  }
  if (error instanceof ReadOnlyServerError) return true
  const code = (error as NodeJS.ErrnoException).code
  if (code !== undefined && unavailableSystemCodes.has(code)) return true
  return /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/.test(
    error.message,
  )
}

/**
 * Whether the connection that the error came from is not to be used again: its prepared statements are not those that
 * we know, the server is read-only, as after a switchover, or has closed the connection.
 */
export function endsConnection(error: unknown): error is Error {
  const cause = error instanceof DomainError ? error.cause : error
  if (isStaleStatement(cause)) return true
  return cause instanceof DatabaseError && (cause.code === '25006' || ['FATAL', 'PANIC'].includes(cause.severity ?? ''))
}

/**
 * Whether a prepared statement does not exist (26000), exists already (42P05), or was parsed when its rows had other
 * columns (0A000 "cached plan must not change result type"). Nothing is wrong with the statement: another connection
 * runs it.
 */
export function isStaleStatement(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error
  if (!(cause instanceof DatabaseError)) return false
  return cause.code === '0A000'
    ? cause.routine === 'RevalidateCachedQuery'
    : ['26000', '42P05'].includes(cause.code ?? '')
}

/** The name of the unique or check constraint that the statement violated, if any. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof DatabaseError && (error.code === '23505' || error.code === '23514')
    ? error.constraint
    : undefined
}
