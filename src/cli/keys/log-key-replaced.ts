import type { Logger } from 'pino'

/**
 * Writes `key.replaced` to the security log (docs/operations.md), on standard error whatever the level of the log is,
 * except `silent`.
 * `kind` is the argument of `keys replace`.
 */
export function logKeyReplaced(log: Logger, kind: string, compromised: true | undefined): void {
  if (log.level === 'silent') return
  const reason = compromised === true ? `${kind}, compromised` : kind
  log.child({ log: 'security' }, { level: 'info' }).info({ event: 'key.replaced', reason }, 'security')
}
