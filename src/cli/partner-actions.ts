import { readEnvironment } from '../config/env.ts'
import { createPartner, disablePartner, rotateSecret } from '../domain/auth/create-partner.ts'
import { listAllPartners } from '../domain/auth/list-partners.ts'
import { systemClock } from '../domain/kernel/clock.ts'
import { type JsonOption, printJson } from './json-option.ts'
import { Refused } from './refused.ts'
import { alignRows, formatInstant } from './table.ts'
import { withDatabase } from './with-database.ts'

/** `partner create`: the credentials are the output, as JSON either way. */
export async function create({ name, json }: JsonOption & { name: string }): Promise<void> {
  const issued = await withDatabase(({ db, realm }) => createPartner({ db, clock: systemClock, realm }, { name }))
  printCredentials(issued, json, [])
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
  const clientSecret = await withDatabase(({ db }) => rotateSecret({ db }, clientId))
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
