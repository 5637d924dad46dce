import type { Logger } from 'pino'

/**
 * Writes a change of the operator's credentials to the security log (docs/operations.md), on standard error whatever
 * the level of the log is, except `silent`.
 */
export function logOperatorCredential(log: Logger, change: 'created' | 'rotated' | 'disabled', clientId: string): void {
  if (log.level === 'silent') return
  log.child({ log: 'security' }, { level: 'info' }).info({ event: `operator.${change}`, clientId }, 'security')
}
