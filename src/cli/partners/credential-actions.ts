import {
  addCredential,
  removeCredential,
  rotateCredential,
  setAllowedFrom,
} from '../../partners/managing/manage-credentials.ts'
import { partnerIdOf } from '../../partners/managing/partner-id.ts'
import type { Scope } from '../../partners/scopes.ts'
import { readEnvironment } from '../../platform/config/env.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { DomainError, type ErrorCode } from '../../platform/kernel/errors.ts'
import { longestTokenSeconds } from '../../platform/kernel/token-lifetime.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import { externalSecretsNote, noProviderNote, printCredentials } from './partner-actions.ts'

export interface AddCredentialOptions extends JsonOption {
  scopes: readonly Scope[]
  name?: string
  expiresIn?: number
  clientId?: string
  allowFrom?: readonly string[]
}

export interface RotateOptions extends JsonOption {
  overlap: number
  endTokens?: true
}

const listThem = '"npx housebill partner list" lists them all.'

/** `partner add-credential`: prints the credentials as JSON, with or without `--json`. */
export async function runAddCredential(partner: string, options: AddCredentialOptions): Promise<void> {
  const { scopes, name, expiresIn: lifetimeSeconds, clientId: outside, allowFrom: allowedFrom, json } = options
  const { added, isUsable } = await withDatabase(
    'partner add-credential',
    async ({ db, realm, secretsAreExternal }) => {
      if (secretsAreExternal && outside === undefined)
        throw new CommandError(
          'client_id_required',
          `${externalSecretsNote} Set --client-id to the client id at the provider.`,
        )
      const wanted = { scopes, name, lifetimeSeconds, clientId: outside, allowedFrom }
      const partnerId = await partnerIdOf(db, partner)
      return {
        added: await explaining(
          {
            not_found: `No partner or client id ${partner} exists.`,
            partner_disabled: `The partner identified by ${partner} is disabled. This cannot be undone.`,
          },
          () => addCredential({ db, clock: systemClock, realm }, partnerId, wanted),
        ),
        isUsable: secretsAreExternal || outside === undefined,
      }
    },
  )
  if (added === 'client_id_taken')
    throw new CommandError('client_id_taken', `${outside} is already registered. ${listThem}`)
  const { partnerId, clientId, clientSecret, expiresAt } = added
  const secret = clientSecret === null ? {} : { clientSecret }
  const limits = allowedFrom === undefined ? {} : { allowedFrom }
  printCredentials(
    { partnerId, clientId, ...secret, scopes, expiresAt, ...limits },
    json,
    isUsable ? [] : [noProviderNote],
  )
}

/** `partner rotate-secret`: prints the new secret as JSON, with or without `--json`. */
export async function runRotateSecret(clientId: string, { overlap, endTokens, json }: RotateOptions): Promise<void> {
  const endsTokens = endTokens === true
  const rotated = await withDatabase('partner rotate-secret', ({ db, secretsAreExternal }) => {
    if (secretsAreExternal) throw new CommandError('secret_kept_outside', `${externalSecretsNote} Rotate it there.`)
    return explaining({ not_found: `No client id ${clientId} exists.` }, () =>
      rotateCredential({ db, clock: systemClock }, { clientId }, { overlapSeconds: overlap, endsTokens }),
    )
  })
  const { clientSecret, previousSecretUntil } = rotated
  const until = previousSecretUntil === null ? {} : { previousSecretUntil }
  printCredentials(
    { clientId, clientSecret, ...until },
    json,
    rotationNotes(clientId, { previousSecretUntil, endsTokens }),
  )
}

/** The command `partner allow-from`. */
export async function runAllowFrom(
  clientId: string,
  allowedFrom: readonly string[] | null,
  { json }: JsonOption,
): Promise<void> {
  const isKnown = await withDatabase('partner allow-from', ({ db }) => setAllowedFrom({ db }, clientId, allowedFrom))
  if (!isKnown) throw unknown(`No client id ${clientId} exists.`)
  if (json) printJson({ clientId, allowedFrom })
  else print(`${clientId} may be used from ${allowedFrom?.join(', ') ?? 'any address'}, within two seconds everywhere.`)
}

/** The command `partner remove-credential`. */
export async function runRemoveCredential(clientId: string, { json }: JsonOption): Promise<void> {
  const partnerId = await withDatabase('partner remove-credential', ({ db }) =>
    explaining({ not_found: `No client id ${clientId} exists.` }, () => removeCredential({ db }, { clientId })),
  )
  const notes =
    readEnvironment(invocation().environment).SANDBOX_CLIENT_ID === clientId
      ? ['SANDBOX_CLIENT_ID is set, so the next start of the server creates these credentials again. Unset it as well.']
      : []
  if (json) printJson({ partnerId, clientId, status: 'removed', ...(notes.length > 0 ? { notes } : {}) })
  else print([`${clientId} was removed. Its tokens are rejected within seconds.`, ...notes].join('\n'))
}

/** Runs an operation whose errors are in the words of the API, and says them in those of the command line. */
async function explaining<Result>(
  messages: Partial<Record<ErrorCode, string>>,
  operation: () => Promise<Result>,
): Promise<Result> {
  try {
    return await operation()
  } catch (error) {
    const message = error instanceof DomainError ? messages[error.code] : undefined
    if (!(error instanceof DomainError) || message === undefined) throw error
    throw error.code === 'not_found' ? unknown(message) : new CommandError(error.code, message)
  }
}

function unknown(message: string): CommandError {
  return new CommandError('not_found', `${message} ${listThem}`)
}

function rotationNotes(
  clientId: string,
  { previousSecretUntil, endsTokens }: { previousSecretUntil: Date | null; endsTokens: boolean },
): string[] {
  const environment = readEnvironment(invocation().environment)
  const isSetHere =
    environment.SANDBOX_CLIENT_ID === clientId &&
    (environment.SANDBOX_CLIENT_SECRET ?? environment.SANDBOX_CLIENT_SECRET_FILE) !== undefined
  return [
    ...(previousSecretUntil === null
      ? []
      : [`The previous secret is also accepted until ${formatInstant(previousSecretUntil)}.`]),
    endsTokens
      ? 'Tokens that have already been issued are rejected within two seconds.'
      : `Tokens that have already been issued stay valid until they expire, at most ${longestTokenSeconds / 3_600} hours. With --end-tokens, a rotation ends them.`,
    ...(isSetHere
      ? [
          'SANDBOX_CLIENT_SECRET is set, so the next start of the server restores that secret. Change the setting as well.',
        ]
      : []),
  ]
}
