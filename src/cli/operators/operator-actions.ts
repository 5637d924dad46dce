import type { Logger } from 'pino'
import { composeCipher } from '../../app/compose.ts'
import {
  createOperatorCredential,
  disableOperatorCredential,
  listOperators,
} from '../../partners/operators/manage-operator-credentials.ts'
import type { OperatorScope } from '../../partners/operators/operator-scopes.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { printCredentials } from '../partners/partner-actions.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { alignRows, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'

export interface CreateOperatorOptions extends JsonOption {
  name: string
  scopes: readonly OperatorScope[]
  expiresIn?: number
  allowFrom?: readonly string[]
}

/** `operator create`: prints the credentials as JSON, with or without `--json`. */
export async function runCreateOperator(options: CreateOperatorOptions): Promise<void> {
  const { name, scopes, expiresIn: lifetimeSeconds, allowFrom: allowedFrom, json } = options
  const { clientId, clientSecret, expiresAt } = await withDatabase('operator create', async ({ db, log, secrets }) => {
    const wanted = { name, scopes, lifetimeSeconds, allowedFrom }
    const created = await createOperatorCredential(
      { db, clock: systemClock, cipher: await composeCipher(db, secrets) },
      wanted,
    )
    logOperatorCredential(log, 'created', created.clientId)
    return created
  })
  const limits = allowedFrom === undefined ? {} : { allowedFrom }
  printCredentials({ clientId, clientSecret, scopes, expiresAt, ...limits }, json, [])
}

/** `operator list`. */
export async function printOperators({ json }: JsonOption): Promise<void> {
  const credentials = await withDatabase('operator list', ({ db }) => listOperators({ db }))
  if (json) return printJson(credentials)
  if (credentials.length === 0)
    return print('There are no operator credentials. "npx housebill operator create" creates some.')
  const rows = credentials.map(({ clientId, name, scopes, expiresAt, allowedFrom, lastTokenOn, disabledAt }) => [
    clientId,
    name,
    lastTokenOn === null ? 'never used' : `last used ${lastTokenOn}`,
    expiresAt === null ? 'does not expire' : `expires ${formatInstant(expiresAt)}`,
    `from ${allowedFrom?.join(' ') ?? 'anywhere'}`,
    disabledAt === null ? scopes.join(' ') : `disabled ${formatInstant(disabledAt)}`,
  ])
  print(alignRows(rows))
}

/** `operator disable`. */
export async function runDisableOperator(clientId: string, { json }: JsonOption): Promise<void> {
  const isKnown = await withDatabase('operator disable', async ({ db, log }) => {
    const isDisabled = await disableOperatorCredential({ db, clock: systemClock }, clientId)
    if (isDisabled) logOperatorCredential(log, 'disabled', clientId)
    return isDisabled
  })
  if (!isKnown)
    throw new CommandError(
      'unknown_client_id',
      `There are no operator credentials ${clientId}. "npx housebill operator list" lists them all.`,
    )
  if (json) printJson({ clientId, disabled: true })
  else print(`${clientId} and its tokens are rejected from now on.`)
}

/**
 * Writes a change of the operator's credentials to the security log (docs/operations.md), on standard error whatever
 * the level of the log is, except `silent`.
 */
function logOperatorCredential(log: Logger, change: 'created' | 'disabled', clientId: string): void {
  if (log.level === 'silent') return
  log.child({ log: 'security' }, { level: 'info' }).info({ event: `operator.${change}`, clientId }, 'security')
}
