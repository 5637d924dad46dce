import { createHash, randomBytes } from 'node:crypto'
import { operatorAccountId } from '../partners/operators/operator-account.ts'
import { lockPartner } from '../partners/partners.store.ts'
import { inTransaction, type Tx } from '../platform/db/database.ts'
import { newId } from '../platform/kernel/ids.ts'
import type { PeopleDependencies } from './manage-people.ts'
import { findPerson, type Person } from './people.store.ts'
import {
  deletePersonSessions,
  findPersonSession,
  insertPersonSession,
  listPersonSessions,
  type PersonSession,
  recordSeen,
} from './person-sessions.store.ts'
import { type PersonScope, scopesOf } from './roles.ts'

/** How long a session lasts at most, how long one of the operator's people lasts unused, and what counts as just now. */
export const sessionMinutes = { longest: 720, unused: 60, recent: 15 }

const ago = (now: Date, minutes: number) => new Date(now.getTime() - minutes * 60_000)

/** Sessions of the operator's people end after an hour without use, those of partners' people only with the day. */
function usedAfter(now: Date, isOperators: boolean): Date {
  return ago(now, isOperators ? sessionMinutes.unused : sessionMinutes.longest)
}

/** Somebody who is signed in. */
export interface PersonHere {
  person: Person
  /** What they may do now. */
  scopes: readonly PersonScope[]
  session: PersonSession
  /** Who they are in the audit log: their id, with what makes it less certain. */
  credential: string
  /** Whether they signed in so recently that they may move money, erase, and manage credentials and people. */
  isRecent: boolean
}

/** The hash by which a secret of a browser is found. It has 256 random bits, so a plain hash cannot be reversed. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** A secret that only a browser keeps. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Begins a session in the transaction of a sign-in. `provedAt` is when the person last proved who they are, if not now.
 * Returns the value of its cookie; undefined if the person was removed meanwhile. Waits for changes of the partner's
 * people.
 */
export async function beginSession(
  tx: Tx,
  person: Person,
  given: { browser: string; isSharedMailbox?: boolean; now: Date; provedAt?: Date | undefined },
): Promise<string | undefined> {
  const { browser, isSharedMailbox = false, now, provedAt = now } = given
  const secret = newSecret()
  await lockPartner(tx, person.partnerId)
  const isStored = await insertPersonSession(tx, person, {
    ...{
      sessionHash: secretHash(secret),
      sessionId: newId('session'),
      isSharedMailbox,
      browser: browser.slice(0, 300),
    },
    ...{ signedInAt: provedAt, lastSeenAt: now, expiresAt: ago(now, -sessionMinutes.longest) },
  })
  return isStored ? secret : undefined
}

/** Who is signed in with this cookie at the desk, or at a partner's pages; undefined if nobody is. */
export async function whoIsHere(
  { db, cipher, clock }: PeopleDependencies,
  secret: string,
  at: 'desk' | 'workplace',
): Promise<PersonHere | undefined> {
  const now = clock.now()
  const isOperators = at === 'desk'
  const times = { isOperators, now, usedAfter: usedAfter(now, isOperators) }
  const found = await findPersonSession(db, secretHash(secret), times)
  const person = found && (await findPerson(db, cipher, found.personId))
  if (found === undefined || person === undefined || person.state !== 'active') return undefined
  await recordSeen(db, person, found, now)
  const { personId: _, ...session } = found
  return {
    ...{ person, session, scopes: scopesOf(person) },
    credential: session.isSharedMailbox ? `${person.personId} (shared mailbox)` : person.personId,
    isRecent: session.signedInAt > ago(now, sessionMinutes.recent),
  }
}

/** The person's sessions, the latest first. */
export function listSessions({ db, clock }: PeopleDependencies, person: Person): Promise<PersonSession[]> {
  const now = clock.now()
  return listPersonSessions(db, person, { now, usedAfter: usedAfter(now, person.partnerId === operatorAccountId) })
}

/** Signs a person out of one of their sessions; harmless if it has ended. */
export async function endSession({ db }: PeopleDependencies, person: Person, sessionId: string): Promise<void> {
  await inTransaction(db, {}, (tx) => deletePersonSessions(tx, person, sessionId))
}
