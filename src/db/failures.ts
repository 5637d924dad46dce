import { DatabaseError } from 'pg'
import { DomainError } from '../kernel/errors.ts'

/** PostgreSQL's words for "not now": nothing is wrong with the statement, and the same one can succeed later. */
const unavailableSqlStates = new Set([
  // Connection exceptions.
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  // Out of disk, memory, connections; a limit of the configuration.
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  // Ended by an operator or a crash: shutting down, crashed, starting up, idle for too long.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  // Cut off by a time limit: of a statement, of a pause within a transaction, of a transaction.
  '57014',
  '25P03',
  '25P04',
  // The disk does not read or write, or the system refuses something else.
  '58000',
  '58030',
  // Read-only: a failover is under way.
  '25006',
  // Deadlock, serialisation, lock not available: worth a retry.
  '40P01',
  '40001',
  '55P03',
])

/**
 * Where PostgreSQL's source writes files. A full quota (EDQUOT) and a limit on file sizes (EFBIG) have no SQLSTATE of their own:
 * they come as XX000, "internal error", and only the place they come from tells them from a fault.
 */
const fileWritingSources = new Set(['md.c', 'fd.c', 'buffile.c'])

const unavailableSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
])

/**
 * A database that cannot do its work right now becomes `service_unavailable` (503, nothing half-done is kept); every
 * other error is passed through untouched. Where the connection broke while committing, nobody knows whether the change was
 * kept: the same key tells.
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
  if (error instanceof DatabaseError) {
    if (error.code === 'XX000') return error.file !== undefined && fileWritingSources.has(error.file)
    return error.code !== undefined && unavailableSqlStates.has(error.code)
  }
  const code = (error as NodeJS.ErrnoException).code
  if (code !== undefined && unavailableSystemCodes.has(code)) return true
  return /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/.test(
    error.message,
  )
}

/** The name of the unique or check constraint a statement broke, if that is what happened. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof DatabaseError && (error.code === '23505' || error.code === '23514')
    ? error.constraint
    : undefined
}
