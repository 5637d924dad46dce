import { DatabaseError } from 'pg'
import { DomainError } from '../domain/kernel/errors.ts'

const unavailableSqlStates = new Set([
  '08000',
  '08003',
  '08006',
  '08001',
  '08004', // connection exceptions
  '53000',
  '53100',
  '53200',
  '53300',
  '53400', // out of disk, memory, connections
  '57P01',
  '57P02',
  '57P03', // shutting down, crashed, starting up
  '57014', // cancelled by the statement time limit
  '58030', // input/output error
  '25006', // read-only: a failover is under way
  '40P01',
  '40001',
  '55P03', // deadlock, serialisation, lock not available: worth a retry
])

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
 * other error is passed through untouched.
 */
export function asDependencyFailure(error: unknown): unknown {
  if (error instanceof DomainError || !(error instanceof Error)) return error
  if (!isUnavailable(error)) return error
  return new DomainError(
    'service_unavailable',
    'The database cannot be reached at the moment. Nothing was changed; retry shortly.',
    {
      retryAfterSeconds: 2,
      cause: error,
    },
  )
}

function isUnavailable(error: Error): boolean {
  if (error instanceof DatabaseError) return error.code !== undefined && unavailableSqlStates.has(error.code)
  const code = (error as NodeJS.ErrnoException).code
  if (code !== undefined && unavailableSystemCodes.has(code)) return true
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  )
}

/** The name of the unique or check constraint a statement broke, if that is what happened. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof DatabaseError && (error.code === '23505' || error.code === '23514')
    ? error.constraint
    : undefined
}
