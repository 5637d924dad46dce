import { type Command, InvalidArgumentError } from 'commander'
import { readEnvironment } from '../config/env.ts'
import { createPartner, disablePartner, rotateSecret } from '../domain/auth/create-partner.ts'
import { findCredential, findPartner, listPartners } from '../domain/auth/partners.store.ts'
import { systemClock } from '../domain/kernel/clock.ts'
import { type JsonOption, jsonOption, printJson } from './json-option.ts'
import { Refused } from './refused.ts'
import { alignRows, formatInstant } from './table.ts'
import { withDatabase } from './with-database.ts'

export function addPartnerCommands(program: Command): void {
  const partner = program.command('partner').description('Create partners, and look after their credentials.')

  partner
    .command('create')
    .description('Create a partner. Prints its credentials as JSON: the secret is shown this once.')
    .requiredOption('--name <name>', 'what the partner is called, 1 to 100 characters', partnerName)
    .addOption(jsonOption())
    .action(async ({ name, json }: JsonOption & { name: string }) => {
      const issued = await withDatabase(({ db, realm }) => createPartner({ db, clock: systemClock, realm }, { name }))
      printCredentials(issued, json, [])
    })

  partner
    .command('list')
    .description('List the partners and their client ids, oldest first.')
    .addOption(jsonOption())
    .action(async ({ json }: JsonOption) => {
      const partners = await withDatabase(({ db }) => listPartners(db))
      if (json) {
        printJson({
          partners: partners.map(({ partnerId, name, clientIds, createdAt, disabledAt }) => ({
            partnerId,
            name,
            status: disabledAt === null ? 'active' : 'disabled',
            clientIds,
            createdAt,
            disabledAt,
          })),
        })
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
    })

  partner
    .command('rotate-secret')
    .description('Give a client id a new secret; the old one ends at once. Prints the credentials as JSON.')
    .argument('<clientId>', 'as "partner list" shows it')
    .addOption(jsonOption())
    .action(async (clientId: string, { json }: JsonOption) => {
      const clientSecret = await withDatabase(({ db }) => rotateSecret({ db }, clientId))
      if (clientSecret === undefined) throw unknown(`No client id ${clientId} exists.`)
      printCredentials({ clientId, clientSecret }, json, rotationNotes(clientId))
    })

  partner
    .command('disable')
    .description('Disable a partner: its credentials and its tokens are refused within seconds. There is no way back.')
    .argument('<id>', "the partner's id, or one of its client ids")
    .addOption(jsonOption())
    .action(async (id: string, { json }: JsonOption) => {
      const disabled = await withDatabase(async ({ db }) => {
        const partnerId = (await findCredential(db, id))?.partnerId ?? id
        await disablePartner({ db, clock: systemClock }, partnerId)
        return findPartner(db, partnerId)
      })
      if (disabled === undefined) throw unknown(`Neither a partner nor a client id is called ${id}.`)
      const { partnerId, name, disabledAt } = disabled
      if (disabledAt === null) throw new Error('a partner that was disabled carries the moment')
      if (json) printJson({ partnerId, name, status: 'disabled', disabledAt })
      else console.log(`${name} (${partnerId}) is disabled since ${formatInstant(disabledAt)}.`)
    })
}

function partnerName(value: string): string {
  const name = value.trim()
  if (name === '' || [...name].length > 100 || /\p{Cc}/u.test(name)) {
    throw new InvalidArgumentError('It takes 1 to 100 characters on one line.')
  }
  return name
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
  return [tokens, 'SANDBOX_CLIENT_SECRET is set: the next start of the server brings its value back. Change it as well.']
}
