import { operatorAccountId } from '../partners/operators/operator-scopes.ts'
import { inTransaction } from '../platform/db/database.ts'
import { minutesBefore, secretHash, sessionMinutes } from './begin-session.ts'
import type { PeopleDependencies } from './manage-people.ts'
import { findPerson, type Person } from './people.store.ts'
import {
  deletePersonSessions,
  findPersonSession,
  listPersonSessions,
  type PersonSession,
  recordSeen,
} from './person-sessions.store.ts'
import { type PersonScope, scopesOf } from './roles.ts'

/** Sessions of the operator's people end after an hour without use, those of partners' people only with the day. */
function usedAfter(now: Date, isOperators: boolean): Date {
  return minutesBefore(now, isOperators ? sessionMinutes.unused : sessionMinutes.longest)
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

/** Who is signed in with this cookie at the desk, or at a partner's pages; undefined if nobody is. */
export async function whoIsHere(
  { db, cipher, clock }: PeopleDependencies,
  secret: string,
  at: 'desk' | 'workplace',
): Promise<PersonHere | undefined> {
  const now = clock.now()
  const isOperators = at === 'desk'
  const times = { isOperators, now, usedAfter: usedAfter(now, isOperators) }
  const found = await findPersonSession(db, secretHash(cipher, secret), times)
  const person = found && (await findPerson(db, cipher, found.personId))
  if (found === undefined || person === undefined || person.state !== 'active') return undefined
  if ((person.partnerId === operatorAccountId) !== isOperators) return undefined
  await recordSeen(db, person, found, now)
  const { personId: _, ...session } = found
  return {
    ...{ person, session, scopes: scopesOf(person) },
    credential: session.isSharedMailbox ? `${person.personId} (shared mailbox)` : person.personId,
    isRecent: session.signedInAt > minutesBefore(now, sessionMinutes.recent),
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
