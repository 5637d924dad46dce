import { claimRequest } from '../partners/operators/claim-request.ts'
import { operatorAccountId } from '../partners/operators/operator-scopes.ts'
import { findPartner, insertOperatorAccount, lockPartner } from '../partners/partners.store.ts'
import { type Database, inTransaction, type Tx } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { type Id, isId, newId } from '../platform/kernel/ids.ts'
import {
  findPerson,
  insertPerson,
  listPeopleByEmail,
  listPeople as listPeopleOf,
  type Person,
  updatePerson,
} from './people.store.ts'
import { deletePersonSessions } from './person-sessions.store.ts'
import { grantsOf, type NamedScope, type PersonScope, type Role, scopesOf } from './roles.ts'

/** The database reaches the rows of every partner. */
export interface PeopleDependencies {
  db: Database
  cipher: FieldCipher
  clock: Clock
}

/** Who manages people: the id that the list shows, and what they may give; somebody on the server may give all. */
export interface Manager {
  by: string
  /** Whose people they manage, if not everybody's: others are unknown, and they give nothing that they do not have. */
  of?: Id<'partner'>
  mayGive: readonly PersonScope[] | 'all'
}

/** What a person is given. */
export interface Grants {
  roles: readonly Role[]
  scopes: readonly NamedScope[]
  branches: readonly string[]
}

/** GET /operator-api/People, `housebill people list`, pages: the operator's people or a partner's, oldest first. */
export async function listPeople({ db, cipher }: PeopleDependencies, partnerId: string | undefined): Promise<Person[]> {
  return listPeopleOf(db, cipher, await requirePartner(db, partnerId))
}

/**
 * POST /operator-api/People, `housebill people invite`, a page: lets somebody of the operator or of a partner sign in.
 * With a `requestKey`, the same call made again returns the person that the first one invited. Throws `not_found` for
 * an unknown partner, and `validation_failed`.
 */
export async function invitePerson(
  deps: PeopleDependencies,
  manager: Manager,
  invited: Grants & { name: string; email: string; partnerId?: string | undefined },
  requestKey?: string,
): Promise<Person> {
  const { db, cipher, clock } = deps
  if (invited.partnerId === undefined) await insertOperatorAccount(db)
  const now = clock.now()
  const { name, email, roles, scopes, branches } = invited
  return inTransaction(db, {}, async (tx) => {
    const partnerId = manager.of ?? (await requirePartner(tx, invited.partnerId))
    const personId = newId('person')
    const earlier = await claimRequest(tx, requestKey, { invite: invited }, { subjectId: personId, now })
    if (earlier !== undefined) return requirePerson(tx, cipher, earlier)
    const person: Person = {
      ...{ personId, partnerId, name, email, subject: null, state: 'invited', invitedBy: manager.by, invitedAt: now },
      ...{ roles: [...roles], scopes: [...scopes], branches: [...branches], lastSeenAt: null },
    }
    await lockPartner(tx, partnerId)
    await checkPerson(tx, cipher, person, manager)
    await insertPerson(tx, cipher, person)
    return person
  })
}

/**
 * PATCH /operator-api/People/{personId}, a page: changes what is given. A person who may do less from now on is signed out
 * everywhere in the same transaction. Throws `not_found` and `validation_failed`.
 */
export function changePerson(
  deps: PeopleDependencies,
  manager: Manager,
  personId: string,
  changes: { [Field in 'name' | keyof Grants]?: (Grants & { name: string })[Field] | undefined },
): Promise<Person> {
  return onPerson(deps, manager, personId, async (tx, before) => {
    const { name = before.name, roles = before.roles, scopes = before.scopes, branches = before.branches } = changes
    const after: Person = { ...before, name, roles: [...roles], scopes: [...scopes], branches: [...branches] }
    await checkPerson(tx, deps.cipher, after, manager, before)
    await updatePerson(tx, deps.cipher, after)
    const left = scopesOf(after)
    const losesRole = before.roles.some((role) => !after.roles.includes(role))
    if (losesRole || scopesOf(before).some((scope) => !left.includes(scope))) await deletePersonSessions(tx, before)
    return after
  })
}

/**
 * POST /operator-api/People/{personId}/remove, `housebill people remove`, a page: signs a person out everywhere, for ever. Their
 * name stays for the audit log; their e-mail address goes. Repeating it is harmless. Throws `not_found`.
 */
export function removePerson(
  deps: PeopleDependencies,
  manager: Pick<Manager, 'of'>,
  personId: string,
): Promise<Person> {
  return onPerson(deps, manager, personId, async (tx, before) => {
    if (before.state === 'removed') return before
    const after: Person = { ...before, state: 'removed', email: null, roles: [], scopes: [] }
    await updatePerson(tx, deps.cipher, after)
    await deletePersonSessions(tx, before)
    return after
  })
}

/** Runs a change of a person, who is read again under the lock on their partner's row. */
function onPerson(
  { db, cipher }: PeopleDependencies,
  { of }: Pick<Manager, 'of'>,
  personId: string,
  change: (tx: Tx, before: Person) => Promise<Person>,
): Promise<Person> {
  return inTransaction(db, {}, async (tx) => {
    const { partnerId } = await requirePerson(tx, cipher, personId, of)
    await lockPartner(tx, partnerId)
    return change(tx, await requirePerson(tx, cipher, personId, of))
  })
}

/** Throws `validation_failed` unless the person may be as they are to be. The caller holds the partner's lock. */
async function checkPerson(
  tx: Tx,
  cipher: FieldCipher,
  person: Person,
  { mayGive, of }: Manager,
  before?: Person,
): Promise<void> {
  const { partnerId, personId, name, email } = person
  if (email === null) throw invalid('/roles', 'removed', 'The person was removed. Invite them again.')
  const known = grantsOf(partnerId)
  const whose = partnerId === operatorAccountId ? "the operator's people" : "a partner's people"
  for (const [index, role] of person.roles.entries())
    if (!Object.hasOwn(known.roles, role))
      throw invalid(
        `/roles/${index}`,
        'invalid_value',
        `The roles of ${whose} are ${Object.keys(known.roles).join(', ')}.`,
      )
  for (const [index, scope] of person.scopes.entries())
    if (!known.scopes.includes(scope))
      throw invalid(`/scopes/${index}`, 'invalid_value', `By name, ${whose} can have ${known.scopes.join(', ')}.`)
  // A partner's people get what its programs can get; who manages partners could give it to a program as well.
  if (mayGive !== 'all' && (partnerId === operatorAccountId || of !== undefined)) {
    const had = before === undefined ? [] : scopesOf(before)
    const beyond = scopesOf(person).find((scope) => !had.includes(scope) && !mayGive.includes(scope))
    if (beyond !== undefined)
      throw invalid(
        '/roles',
        'beyond_own',
        `You cannot give ${beyond}, which you do not have. Ask somebody who has it.`,
      )
  }
  const others = (await listPeopleByEmail(tx, cipher, { partnerId, email })).filter(
    (each) => each.personId !== personId,
  )
  const isSame = (other: Person) => other.name.toLocaleLowerCase() === name.toLocaleLowerCase()
  if (others.some((other) => partnerId === operatorAccountId || isSame(other)))
    throw invalid('/email', 'taken', 'Somebody with this e-mail address can sign in already. Change or remove them.')
  if (others.length > 0 && [person, ...others].some(({ roles }) => roles.includes('admin')))
    throw invalid('/email', 'taken', "An admin's e-mail address belongs to nobody else. Use another address.")
}

function invalid(pointer: string, code: string, detail: string): DomainError {
  return new DomainError('validation_failed', detail, { fields: [{ pointer, code, detail }] })
}

/** The partner with this id; without one, the operator's account. Throws `not_found`. */
async function requirePartner(db: Database | Tx, partnerId: string | undefined): Promise<Id<'partner'>> {
  if (partnerId === undefined) return operatorAccountId
  const partner = isId('partner', partnerId) ? await findPartner(db, partnerId) : undefined
  if (partner === undefined)
    throw new DomainError('not_found', 'There is no partner with this id. GET /operator-api/Partners lists them all.')
  return partner.partnerId
}

async function requirePerson(tx: Tx, cipher: FieldCipher, personId: string, of?: Id<'partner'>): Promise<Person> {
  const person = isId('person', personId) ? await findPerson(tx, cipher, personId) : undefined
  if (person === undefined || (of !== undefined && person.partnerId !== of))
    throw new DomainError('not_found', 'There is no person with this id. The list of people has the ids.')
  return person
}
