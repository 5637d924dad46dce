import { DatabaseError } from 'pg'
import pino, { type DestinationStream, type Logger } from 'pino'
import { createLogDestination } from './log-destination.ts'

/**
 * The structured log: JSON lines on standard error; standard output is for people. Each call lists the fields it logs,
 * and errors are reduced to the parts that cannot hold secrets or personal data.
 */
export function createLogger(level: string, destination: DestinationStream = createLogDestination(2)): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggableError, error: loggableError, req: () => undefined, res: () => undefined },
    },
    destination,
  )
}

/** The loggable part of an error. Database messages can repeat a statement's values, so only their code is kept. */
export function loggableError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const cause = error.cause === undefined ? {} : { cause: loggableError(error.cause) }
  if (error instanceof DatabaseError) {
    const { code, constraint, table, column, routine } = error
    return { type: 'DatabaseError', code, constraint, table, column, routine, stack: framesOf(error), ...cause }
  }
  const { code } = error as NodeJS.ErrnoException
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: framesOf(error),
    ...cause,
  }
}

/** The stack trace without its first lines, which repeat the message. */
function framesOf(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}
