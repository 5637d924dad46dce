import { readEnvironment } from '../config/env.ts'
import { addCredential, removeCredential, rotateSecret } from '../domain/auth/manage-credentials.ts'
import type { Scope } from '../domain/auth/scopes.ts'
import { systemClock } from '../kernel/clock.ts'
import { Refused } from '../kernel/refused.ts'
import { type JsonOption, printJson } from './json-option.ts'
import { keptOutside, printCredentials, unusableYet } from './print-credentials.ts'
import { formatInstant } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface AddCredentialOptions extends JsonOption {
  scopes: readonly Scope[]
  name?: string
  expiresIn?: number
  clientId?: string
}

const listThem = '"npx housebill partner list" shows them all.'

/** `partner add-credential`: the credentials are the output, as JSON either way. */
export async function add(partner: string, options: AddCredentialOptions): Promise<void> {
  const { scopes, name, expiresIn: lifetimeSeconds, clientId: outside, json } = options
  const { added, isUsable } = await withDatabase('partner add-credential', async ({ db, realm, secretsAreOutside }) => {
    if (secretsAreOutside && outside === undefined)
      throw new Refused('client_id_required', `${keptOutside} Give the client id it has: --client-id.`)
    const wanted = { partner, scopes, name, lifetimeSeconds, clientId: outside }
    return {
      added: await addCredential({ db, clock: systemClock, realm }, wanted),
      isUsable: secretsAreOutside || outside === undefined,
    }
  })
  if ('refused' in added) {
    if (added.refused === 'client_id_taken')
      throw new Refused('client_id_taken', `${outside} is registered already. ${listThem}`)
    if (added.refused === 'partner_disabled')
      throw new Refused('partner_disabled', `The partner of ${partner} is disabled, and there is no way back.`)
    throw unknown(`Neither a partner nor a client id is called ${partner}.`)
  }
  const { partnerId, clientId, clientSecret, expiresAt } = added
  const secret = clientSecret === undefined ? {} : { clientSecret }
  printCredentials({ partnerId, clientId, ...secret, scopes, expiresAt }, json, isUsable ? [] : [unusableYet])
}

/** `partner rotate-secret`: the new secret is the output, as JSON either way. */
export async function rotate(clientId: string, { overlap, json }: JsonOption & { overlap: number }): Promise<void> {
  const rotated = await withDatabase('partner rotate-secret', ({ db, secretsAreOutside }) => {
    if (secretsAreOutside) throw new Refused('secret_kept_outside', `${keptOutside} Rotate it there.`)
    return rotateSecret({ db, clock: systemClock }, { clientId, overlapSeconds: overlap })
  })
  if (rotated === undefined) throw unknown(`No client id ${clientId} exists.`)
  const { clientSecret, previousSecretUntil } = rotated
  const until = previousSecretUntil === null ? {} : { previousSecretUntil }
  printCredentials({ clientId, clientSecret, ...until }, json, rotationNotes(clientId, previousSecretUntil))
}

/** `partner remove-credential` */
export async function remove(clientId: string, { json }: JsonOption): Promise<void> {
  const partnerId = await withDatabase('partner remove-credential', ({ db }) => removeCredential({ db }, clientId))
  if (partnerId === undefined) throw unknown(`No client id ${clientId} exists.`)
  const notes =
    readEnvironment().SANDBOX_CLIENT_ID === clientId
      ? ['SANDBOX_CLIENT_ID is set: the next start of the server makes these credentials again. Unset it as well.']
      : []
  if (json) printJson({ partnerId, clientId, status: 'removed', ...(notes.length > 0 ? { notes } : {}) })
  else console.log([`${clientId} is removed. Its tokens are refused within seconds.`, ...notes].join('\n'))
}

function unknown(message: string): Refused {
  return new Refused('not_found', `${message} ${listThem}`)
}

function rotationNotes(clientId: string, previousSecretUntil: Date | null): string[] {
  const environment = readEnvironment()
  const isSetHere = environment.SANDBOX_CLIENT_ID === clientId && environment.SANDBOX_CLIENT_SECRET !== undefined
  return [
    ...(previousSecretUntil === null
      ? []
      : [`The secret before is taken too until ${formatInstant(previousSecretUntil)}.`]),
    'Tokens issued before stay valid until they expire, at most 24 hours.',
    ...(isSetHere
      ? ['SANDBOX_CLIENT_SECRET is set: the next start of the server brings its value back. Change it as well.']
      : []),
  ]
}
