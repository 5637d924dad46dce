import { readEnvironment } from '../config/env.ts'
import { createPartner, disablePartner, registerPartner, rotateSecret } from '../domain/auth/create-partner.ts'
import { listAllPartners } from '../domain/auth/list-partners.ts'
import { systemClock } from '../domain/kernel/clock.ts'
import { type JsonOption, printJson } from './json-option.ts'
import { Refused } from './refused.ts'
import { alignRows, formatInstant } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface CreateOptions extends JsonOption {
  name: string
  clientId?: string
}

/** `partner create`: the credentials are the output, as JSON either way. */
export async function create({ name, clientId, json }: CreateOptions): Promise<void> {
  if (clientId !== undefined) return register({ name, clientId }, json)
  const issued = await withDatabase(({ db, realm, secretsAreOutside }) => {
    if (secretsAreOutside)
      throw new Refused('client_id_required', `${keptOutside} Give the client id it has for the partner: --client-id.`)
    return createPartner({ db, clock: systemClock, realm }, { name })
  })
  printCredentials(issued, json, [])
}

const keptOutside = 'IDP_ISSUER is set: an external identity provider keeps the secrets.'

/** A client id of the external identity provider: there is no secret to tell. */
async function register(client: { name: string; clientId: string }, json: true | undefined): Promise<void> {
  const { registered, isUsable } = await withDatabase(async ({ db, secretsAreOutside }) => ({
    registered: await registerPartner({ db, clock: systemClock }, client),
    isUsable: secretsAreOutside,
  }))
  if (registered === undefined)
    throw new Refused(
      'client_id_taken',
      `${client.clientId} is registered already. "npx housebill partner list" shows whose it is.`,
    )
  const notes = isUsable
    ? []
    : ['No external identity provider is configured (IDP_ISSUER): until one is, this client id gets no token.']
  if (json) {
    printJson({ ...registered, ...(notes.length > 0 ? { notes } : {}) })
    return
  }
  console.log(JSON.stringify(registered, null, 2))
  for (const note of notes) console.error(`\n${note}`)
}

export async function list({ json }: JsonOption): Promise<void> {
  const found = await withDatabase(({ db }) => listAllPartners({ db }))
  const partners = found.map(({ partnerId, name, clientIds, createdAt, disabledAt }) => {
    const status = disabledAt === null ? 'active' : 'disabled'
    return { partnerId, name, status, clientIds, createdAt, disabledAt }
  })
  if (json) {
    printJson({ partners })
    return
  }
  if (partners.length === 0) {
    console.log('There is no partner yet. Create one: npx housebill partner create --name <name>')
    return
  }
  const rows = partners.map(({ partnerId, name, clientIds, createdAt, disabledAt }) => [
    name,
    partnerId,
    clientIds.join(', '),
    formatInstant(createdAt),
    disabledAt === null ? 'active' : `disabled ${formatInstant(disabledAt)}`,
  ])
  console.log(alignRows([['NAME', 'PARTNER ID', 'CLIENT IDS', 'CREATED', 'STATUS'], ...rows]))
}

export async function rotate(clientId: string, { json }: JsonOption): Promise<void> {
  const clientSecret = await withDatabase(({ db, secretsAreOutside }) => {
    if (secretsAreOutside) throw new Refused('secret_kept_outside', `${keptOutside} Rotate it there.`)
    return rotateSecret({ db }, clientId)
  })
  if (clientSecret === undefined) throw unknown(`No client id ${clientId} exists.`)
  printCredentials({ clientId, clientSecret }, json, rotationNotes(clientId))
}

/** `partner disable`: by the partner's id or by one of its client ids. */
export async function disable(id: string, { json }: JsonOption): Promise<void> {
  const disabled = await withDatabase(({ db }) => disablePartner({ db, clock: systemClock }, id))
  if (disabled === undefined) throw unknown(`Neither a partner nor a client id is called ${id}.`)
  const { partnerId, name, disabledAt } = disabled
  if (disabledAt === null) throw new Error('a partner that was disabled carries the moment')
  if (json) printJson({ partnerId, name, status: 'disabled', disabledAt })
  else console.log(`${name} (${partnerId}) is disabled since ${formatInstant(disabledAt)}.`)
}

function unknown(message: string): Refused {
  return new Refused('not_found', `${message} "npx housebill partner list" shows them all.`)
}

/** For people over several lines, with what to know about it on standard error, so that the output stays JSON. */
function printCredentials(credentials: object, json: true | undefined, notes: readonly string[]): void {
  if (json) {
    printJson({ ...credentials, ...(notes.length > 0 ? { notes } : {}) })
    return
  }
  console.log(JSON.stringify(credentials, null, 2))
  console.error(['', 'Keep the secret now: only a hash of it is stored.', ...notes].join('\n'))
}

function rotationNotes(clientId: string): string[] {
  const environment = readEnvironment()
  const tokens = 'Tokens issued before stay valid until they expire, at most 24 hours.'
  const isSetHere = environment.SANDBOX_CLIENT_ID === clientId && environment.SANDBOX_CLIENT_SECRET !== undefined
  if (!isSetHere) return [tokens]
  return [
    tokens,
    'SANDBOX_CLIENT_SECRET is set: the next start of the server brings its value back. Change it as well.',
  ]
}
