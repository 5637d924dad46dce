import type { Logger } from 'pino'
import { createLogger } from '../../compose/logger.ts'
import { createTerminalLog } from '../../compose/terminal-log.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'

/** The log of the service, and whether it shows only warnings and errors because it goes to a terminal. */
export function createServeLog(environment: Environment, config: Config): { log: Logger; isQuiet: boolean } {
  const isQuiet = environment.LOG_LEVEL === undefined && process.stderr.isTTY
  const level = isQuiet ? 'warn' : config.server.logLevel
  const log = process.stderr.isTTY
    ? createLogger(
        level,
        createTerminalLog((text) => process.stderr.write(text)),
      )
    : createLogger(level)
  return { log, isQuiet }
}
