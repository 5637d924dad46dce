import { randomInt } from 'node:crypto'
import { operatorAccountId } from '../partners/operators/operator-scopes.ts'
import { findPartner, insertOperatorAccount, lockPartner } from '../partners/partners.store.ts'
import { insertAuditEntry } from '../platform/audit/audit-log.store.ts'
import { inTransaction, type Queryable, type Tx } from '../platform/db/database.ts'
import { comparableEmail } from '../platform/kernel/email.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { type Id, newId } from '../platform/kernel/ids.ts'
import { isPersonName } from '../platform/kernel/plain-text.ts'
import { beginSession, newSecret, secretHash } from './begin-session.ts'
import type { PeopleDependencies } from './manage-people.ts'
import {
  findPerson,
  findPersonBySubject,
  forgetSubject,
  insertPerson,
  listPartnersPeopleByEmail,
  listPeopleByEmail,
  type Person,
  updatePerson,
} from './people.store.ts'
import {
  deletePending,
  deletePersonSessions,
  findPendingForUpdate,
  insertPending,
  type PendingContent,
  recordCodeTry,
} from './person-sessions.store.ts'
import { operatorRoles, partnerRoles, type Role } from './roles.ts'

/** How long a code, a question to the identity provider and a printed link work, and how often a code can be tried. */
export const signInMinutes = { code: 15, provider: 15, link: 10 }
const maxTries = 5

/** Who has been given roles by the claims of the operator's identity provider. */
const byProvider = 'identity provider'

/** Begins a sign-in. Returns the secret that finishes it, which only a browser or a link has. */
export async function beginSignIn<K extends keyof PendingContent>(
  { db, cipher, clock }: Omit<PeopleDependencies, 'db'> & { db: Queryable },
  kind: K,
  content: PendingContent[K],
): Promise<string> {
  const secret = newSecret()
  const expiresAt = new Date(clock.now().getTime() + signInMinutes[kind] * 60_000)
  await insertPending(db, cipher, { secretHash: secretHash(cipher, secret), kind, content, expiresAt })
  return secret
}

/**
 * Begins the sign-in of a partner's people with a code, whether or not anybody has this address, so that nobody finds
 * out. Returns the secret of the browser and the code.
 */
export async function beginCode(deps: PeopleDependencies, email: string): Promise<{ secret: string; code: string }> {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  return { secret: await beginSignIn(deps, 'code', { email, code }), code }
}

/** Whether the code is to be sent: whether people of partners have this address. */
export async function hasPeople({ db, cipher }: PeopleDependencies, email: string): Promise<boolean> {
  return (await listPartnersPeopleByEmail(db, cipher, email)).length > 0
}

/** Whom the reader of a mailbox can be, and whether others of the same partner share it. */
export interface Candidate {
  personId: Id<'person'>
  name: string
  partnerName: string
  isSharedMailbox: boolean
}

/** Checks the code. Each of five tries counts, also of a browser that sends several at once. */
export function enterCode(deps: PeopleDependencies, secret: string, code: string): Promise<boolean> {
  const { db, cipher, clock } = deps
  const hash = secretHash(cipher, secret)
  return inTransaction(db, {}, async (tx) => {
    const found = await findPendingForUpdate(tx, cipher, { secretHash: hash, kind: 'code', now: clock.now() })
    if (found === undefined || found.content.code === null || found.tries >= maxTries) return false
    const isRight = found.content.code === code
    await recordCodeTry(tx, cipher, hash, isRight ? { ...found.content, code: null } : found.content)
    return isRight
  })
}

/** Who can sign in after the code; undefined if it was not entered, or too long ago. */
export function listCandidates(deps: PeopleDependencies, secret: string): Promise<Candidate[] | undefined> {
  return inTransaction(deps.db, {}, async (tx) =>
    (await candidatesOf(tx, deps, secret))?.map(({ person: _, ...shown }) => shown),
  )
}

async function candidatesOf(
  tx: Tx,
  { cipher, clock }: PeopleDependencies,
  secret: string,
): Promise<(Candidate & { person: Person })[] | undefined> {
  const sought = { secretHash: secretHash(cipher, secret), kind: 'code', now: clock.now() } as const
  const found = await findPendingForUpdate(tx, cipher, sought)
  if (found?.content.code !== null) return undefined
  const people = await listPartnersPeopleByEmail(tx, cipher, found.content.email)
  return people.map(({ partnerName, ...person }) => ({
    ...{ person, partnerName, personId: person.personId, name: person.name },
    isSharedMailbox: people.some((each) => each.personId !== person.personId && each.partnerId === person.partnerId),
  }))
}

/**
 * Signs in one of the candidates, who entered the code. Returns the value of the session's cookie; undefined if they are
 * none any more.
 */
export function signInWithCode(
  deps: PeopleDependencies,
  secret: string,
  { personId, browser }: { personId: string; browser: string },
): Promise<string | undefined> {
  return inTransaction(deps.db, {}, async (tx) => {
    const chosen = (await candidatesOf(tx, deps, secret))?.find((each) => each.personId === personId)
    if (chosen === undefined) return undefined
    await deletePending(tx, secretHash(deps.cipher, secret))
    const { person, isSharedMailbox } = chosen
    return beginSession(tx, deps.cipher, person, { browser, isSharedMailbox, now: deps.clock.now() })
  })
}

/** What the operator's identity provider says of somebody who has signed in there. */
export interface ProvidedIdentity {
  /** `issuer subject`. */
  subject: string
  name: string
  email: string
  isEmailVerified: boolean
  /** The values of the claim with roles; those that are no roles are ignored. */
  roles: readonly string[]
  /** When they proved who they are. */
  provedAt: Date
}

/** Takes a question to the identity provider, once: a response that comes again finds none. */
export function takeProviderSignIn(
  { db, cipher, clock }: PeopleDependencies,
  secret: string,
): Promise<PendingContent['provider'] | undefined> {
  const hash = secretHash(cipher, secret)
  return inTransaction(db, {}, async (tx) => {
    const found = await findPendingForUpdate(tx, cipher, { secretHash: hash, kind: 'provider', now: clock.now() })
    if (found !== undefined) await deletePending(tx, hash)
    return found?.content
  })
}

/**
 * Finds who signs in from the identity provider. A role in the claim makes the person, and is what they have from then
 * on; without one, only who was invited gets in, by a verified address the first time. Returns undefined for anybody
 * else, whose sessions end.
 */
export async function admitFromProvider(
  { db, cipher, clock }: PeopleDependencies,
  identity: ProvidedIdentity,
): Promise<Id<'person'> | undefined> {
  const { subject, email, isEmailVerified } = identity
  const roles = identity.roles.filter((role): role is Role => Object.hasOwn(operatorRoles, role))
  const name = isPersonName(identity.name) ? identity.name.slice(0, 100) : 'No name'
  await insertOperatorAccount(db)
  return inTransaction(db, {}, async (tx) => {
    await lockPartner(tx, operatorAccountId)
    const known = await findPersonBySubject(tx, cipher, subject)
    const [sameAddress] = await listPeopleByEmail(tx, cipher, { partnerId: operatorAccountId, email })
    const isInvited = isEmailVerified && sameAddress !== undefined && sameAddress.subject === null
    if (known?.state === 'removed') {
      // Only who was invited again comes back.
      if (!isInvited) return undefined
      await forgetSubject(tx, cipher, known)
    }
    const before = known?.state === 'active' || known?.state === 'invited' ? known : isInvited ? sameAddress : undefined
    if (before === undefined) {
      // The address of somebody else, who is another subject.
      if (roles.length === 0 || sameAddress !== undefined) return undefined
      const [personId, now] = [newId('person'), clock.now()]
      await insertPerson(tx, cipher, {
        ...{ personId, partnerId: operatorAccountId, name, email, subject, roles, scopes: [], branches: [] },
        ...{ state: 'invited', invitedBy: byProvider, invitedAt: now, lastSeenAt: null },
      })
      return personId
    }
    const isLeft = roles.length === 0 && before.invitedBy === byProvider
    const given = roles.length > 0 || isLeft ? { roles, invitedBy: byProvider } : {}
    const moved = sameAddress === undefined || sameAddress.personId === before.personId
    await updatePerson(tx, cipher, { ...before, ...given, name, email: moved ? email : before.email, subject })
    const isLess = before.roles.some((role) => !(given.roles ?? before.roles).includes(role))
    if (isLess) await deletePersonSessions(tx, before)
    return isLeft ? undefined : before.personId
  })
}

/** Begins the session of somebody who was admitted. Returns the value of its cookie; undefined if they were removed. */
export function signIn(
  { db, cipher, clock }: PeopleDependencies,
  personId: Id<'person'>,
  given: { browser: string; provedAt?: Date },
): Promise<string | undefined> {
  return inTransaction(db, {}, async (tx) => {
    const person = await findPerson(tx, cipher, personId)
    return person && beginSession(tx, cipher, person, { ...given, now: clock.now() })
  })
}

/**
 * `housebill people sign-in`: makes a link that signs in one of the operator's admins, once and within ten minutes.
 * Returns its secret. Throws `not_found`.
 */
export async function printSignInLink(deps: PeopleDependencies, personId: string): Promise<string> {
  const person = await findPerson(deps.db, deps.cipher, personId)
  if (person === undefined || person.partnerId !== operatorAccountId || !person.roles.includes('admin'))
    throw new DomainError(
      'not_found',
      'None of the operator\'s admins has this id. "housebill people list" lists them.',
    )
  const about = { subjectType: 'sign-in link', subjectId: person.personId, quoteId: null, customerId: null }
  return inTransaction(deps.db, {}, async (tx) => {
    await insertAuditEntry(tx, operatorAccountId, { ...about, action: 'asked', fields: [] })
    return beginSignIn({ ...deps, db: tx }, 'link', { personId: person.personId })
  })
}

/** Takes a printed link, once. Returns whom it is for. */
export function takeSignInLink(
  { db, cipher, clock }: PeopleDependencies,
  secret: string,
): Promise<Id<'person'> | undefined> {
  const hash = secretHash(cipher, secret)
  return inTransaction(db, {}, async (tx) => {
    const found = await findPendingForUpdate(tx, cipher, { secretHash: hash, kind: 'link', now: clock.now() })
    if (found !== undefined) await deletePending(tx, hash)
    return found?.content.personId
  })
}

/** Whom a sandbox on this machine lets one sign in as: an invented person for each role. */
export function sampleRoles(at: 'desk' | 'workplace'): Role[] {
  return Object.keys(at === 'desk' ? operatorRoles : partnerRoles) as Role[]
}

/** The invented person with this role, who is made if nobody has chosen them before. Throws `not_found`. */
export async function admitSample(
  { db, cipher, clock }: PeopleDependencies,
  role: Role,
  partnerId: Id<'partner'> = operatorAccountId,
): Promise<Id<'person'>> {
  if (partnerId === operatorAccountId) await insertOperatorAccount(db)
  else if ((await findPartner(db, partnerId)) === undefined)
    throw new DomainError('not_found', 'There is no partner with this id.')
  const email = comparableEmail(`sam.${role}@housebill.example`)
  return inTransaction(db, {}, async (tx) => {
    await lockPartner(tx, partnerId)
    const [known] = await listPeopleByEmail(tx, cipher, { partnerId, email })
    if (known !== undefined) return known.personId
    const [personId, now] = [newId('person'), clock.now()]
    await insertPerson(tx, cipher, {
      ...{ personId, partnerId, name: `Sam Sample, ${role}`, email, subject: null, roles: [role], scopes: [] },
      ...{ branches: [], state: 'invited', invitedBy: 'sandbox', invitedAt: now, lastSeenAt: null },
    })
    return personId
  })
}
