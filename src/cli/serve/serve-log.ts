import type { Logger } from 'pino'
import { createLogger } from '../../app/logger.ts'
import { createTerminalLog } from '../../app/terminal-log.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/env.ts'
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
