import type { Logger } from 'pino'
import { createLogger } from '../../compose/logger.ts'
import { createTerminalLog } from '../../compose/terminal-log.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { invocation } from '../invocation.ts'

/** The log of the service, and whether it shows only warnings and errors because it goes to a terminal. */
export function createServeLog(environment: Environment, config: Config): { log: Logger; isQuiet: boolean } {
  const { stderr } = invocation()
  const isQuiet = environment.LOG_LEVEL === undefined && stderr.isTTY === true
  const level = isQuiet ? 'warn' : config.server.logLevel
  const log = stderr.isTTY
    ? createLogger(
        level,
        createTerminalLog((text) => stderr.write(text)),
      )
    : createLogger(level)
  return { log, isQuiet }
}
