import type { Logger } from 'pino'
import {
  createOperatorCredential,
  disableOperatorCredential,
  listOperators,
  rotateOperatorSecret,
  setOperatorAllowedFrom,
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

export interface RotateOperatorOptions extends JsonOption {
  overlap: number
  endTokens?: true
}

/** `operator create`: prints the credentials as JSON, with or without `--json`. */
export async function runCreateOperator(options: CreateOperatorOptions): Promise<void> {
  const { name, scopes, expiresIn: lifetimeSeconds, allowFrom: allowedFrom, json } = options
  const { clientId, clientSecret, expiresAt } = await withDatabase('operator create', async ({ db, log }) => {
    const wanted = { name, scopes, lifetimeSeconds, allowedFrom }
    const created = await createOperatorCredential({ db, clock: systemClock }, wanted)
    logOperatorCredential(log, 'created', created.clientId)
    return created
  })
  const limits = allowedFrom === undefined ? {} : { allowedFrom }
  printCredentials({ clientId, clientSecret, scopes, expiresAt, ...limits }, json, [])
}

/** `operator allow-from`. */
export async function runAllowOperatorFrom(
  clientId: string,
  allowedFrom: readonly string[] | null,
  { json }: JsonOption,
): Promise<void> {
  const isKnown = await withDatabase('operator allow-from', ({ db }) =>
    setOperatorAllowedFrom({ db }, clientId, allowedFrom),
  )
  if (!isKnown) throw unknown(clientId)
  if (json) printJson({ clientId, allowedFrom })
  else print(`${clientId} may be used from ${allowedFrom?.join(', ') ?? 'any address'} from now on.`)
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

/** `operator rotate`: prints the new secret as JSON, with or without `--json`. */
export async function runRotateOperator(
  clientId: string,
  { overlap, endTokens, json }: RotateOperatorOptions,
): Promise<void> {
  const rotated = await withDatabase('operator rotate', async ({ db, log }) => {
    const given = { clientId, overlapSeconds: overlap, endsTokens: endTokens === true }
    const changed = await rotateOperatorSecret({ db, clock: systemClock }, given)
    if (changed !== undefined) logOperatorCredential(log, 'rotated', clientId)
    return changed
  })
  if (rotated === undefined) throw unknown(clientId)
  const { clientSecret, previousSecretUntil } = rotated
  const until = previousSecretUntil === null ? {} : { previousSecretUntil }
  printCredentials({ clientId, clientSecret, ...until }, json, [])
}

/** `operator disable`. */
export async function runDisableOperator(clientId: string, { json }: JsonOption): Promise<void> {
  const isKnown = await withDatabase('operator disable', async ({ db, log }) => {
    const isDisabled = await disableOperatorCredential({ db, clock: systemClock }, clientId)
    if (isDisabled) logOperatorCredential(log, 'disabled', clientId)
    return isDisabled
  })
  if (!isKnown) throw unknown(clientId)
  if (json) printJson({ clientId, disabled: true })
  else print(`${clientId} and its tokens are rejected from now on.`)
}

function unknown(clientId: string): CommandError {
  return new CommandError(
    'unknown_client_id',
    `There are no operator credentials ${clientId} that work. "npx housebill operator list" lists them all.`,
  )
}

/**
 * Writes a change of the operator's credentials to the security log (docs/operations.md), on standard error whatever
 * the level of the log is, except `silent`.
 */
function logOperatorCredential(log: Logger, change: 'created' | 'rotated' | 'disabled', clientId: string): void {
  if (log.level === 'silent') return
  log.child({ log: 'security' }, { level: 'info' }).info({ event: `operator.${change}`, clientId }, 'security')
}
