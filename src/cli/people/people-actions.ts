import { composeCipher } from '../../app/compose.ts'
import { presentPerson } from '../../back-office/people/people.route.ts'
import { invitePerson, listPeople, type PeopleDependencies, removePerson } from '../../people/manage-people.ts'
import type { NamedScope, Role } from '../../people/roles.ts'
import { printSignInLink } from '../../people/sign-in.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type JsonOption, print, printJson } from '../print.ts'
import { alignRows, formatInstant } from '../table.ts'
import { type CommandDatabase, withDatabase } from '../with-database.ts'

export interface InvitePersonOptions extends JsonOption {
  name: string
  email: string
  roles: readonly Role[]
  partner?: string
  scopes?: readonly NamedScope[]
  branches?: readonly string[]
}

/** `people list`. */
export async function printPeople({ partner, json }: JsonOption & { partner?: string }): Promise<void> {
  const people = await onPeople('list', (deps) => listPeople(deps, partner))
  if (json) return printJson({ data: people.map(presentPerson) })
  if (people.length === 0) return print('Nobody was invited. "npx housebill people invite" invites somebody.')
  print(
    alignRows(
      people.map(({ personId, name, email, roles, scopes, branches, state, lastSeenAt }) => [
        personId,
        name,
        email ?? '',
        state,
        lastSeenAt === null ? 'never seen' : `last seen ${formatInstant(lastSeenAt)}`,
        [...roles, ...scopes].join(' '),
        branches.join(', '),
      ]),
    ),
  )
}

/** `people invite`. */
export async function runInvitePerson({ json, partner: partnerId, ...given }: InvitePersonOptions): Promise<void> {
  const { scopes = [], branches = [], ...invited } = given
  const person = await onPeople('invite', (deps, { operatorName }) =>
    invitePerson(deps, { by: operatorName, mayGive: 'all' }, { ...invited, partnerId, scopes, branches }),
  )
  if (json) printJson(presentPerson(person))
  else print(`${person.personId}: ${person.name} can sign in as ${person.roles.join(', ')}.`)
}

/** `people sign-in`. */
export async function runPrintSignInLink(personId: string, { json }: JsonOption): Promise<void> {
  const link = await onPeople('sign-in', async (deps, { config }) => {
    const secret = await printSignInLink(deps, personId)
    return `${config.server.publicUrl}/desk/sign-in/links/${secret}`
  })
  if (json) printJson({ link })
  else print(link)
}

/** `people remove`. */
export async function runRemovePerson(personId: string, { json }: JsonOption): Promise<void> {
  const person = await onPeople('remove', (deps) => removePerson(deps, {}, personId))
  if (json) printJson(presentPerson(person))
  else print(`${person.name} is signed out everywhere, and cannot sign in again.`)
}

async function onPeople<Result>(
  name: string,
  work: (deps: PeopleDependencies, opened: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  try {
    return await withDatabase(`people ${name}`, async (opened) => {
      const { db, secrets } = opened
      return work({ db, cipher: await composeCipher(db, secrets), clock: systemClock }, opened)
    })
  } catch (error) {
    throw error instanceof DomainError ? new CommandError(error.code, error.message) : error
  }
}
