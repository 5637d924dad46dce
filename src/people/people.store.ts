import { operatorAccountId } from '../partners/operators/operator-scopes.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import { emailHash, emailHashes } from '../platform/kernel/email.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import type { NamedScope, Role } from './roles.ts'

/** What is stored encrypted of a person. */
interface Details {
  name: string
  /** Null once the person was removed. */
  email: string | null
  /**
   * Who they are at the operator's identity provider, as `issuer subject`; null before they sign in there. It stays, so
   * that whoever was removed stays so.
   */
  subject: string | null
  /**
   * Whose they are and what they may do. The columns have the same for the database's own checks; what is encrypted
   * counts, because who can write to the database cannot change it.
   */
  partnerId: Id<'partner'>
  roles: Role[]
  scopes: NamedScope[]
}

/** Somebody who can sign in, or could before they were removed. */
export interface Person extends Details {
  personId: Id<'person'>
  /** The branches to which they belong; empty for no particular one. */
  branches: string[]
  state: 'invited' | 'active' | 'removed'
  /** A client id, a person's id, a login on the machine, or `identity provider`. */
  invitedBy: string
  invitedAt: Date
  lastSeenAt: Date | null
}

type StoredPerson = Omit<Person, keyof Details> & { details: string }

const columns = sql`person_id as "personId", details_encrypted as details, branches, state, invited_by as "invitedBy", invited_at as "invitedAt", last_seen_at as "lastSeenAt"`

const locationOf = (personId: string) => ({ column: 'people.details', row: personId })

function openDetails(cipher: FieldCipher, personId: string, encrypted: string): Details {
  return JSON.parse(cipher.decrypt(encrypted, locationOf(personId)).toString('utf8')) as Details
}

/** The encrypted details and their hashes. */
function sealed(cipher: FieldCipher, { personId, name, email, subject, partnerId, roles, scopes }: Person) {
  return {
    details: cipher.encrypt(
      JSON.stringify({ name, email, subject, partnerId, roles, scopes } satisfies Details),
      locationOf(personId),
    ),
    emailHash: email === null ? '' : emailHash(cipher, email),
    subjectHash: subject === null ? null : cipher.hash(subject),
  }
}

async function selectPeople(db: Queryable, cipher: FieldCipher, where: Sql): Promise<Person[]> {
  const rows = await db.query<StoredPerson>(
    sql`select ${columns} from people where ${where} and invited_at > '-infinity' order by invited_at, person_id`,
  )
  return rows.map(({ details, ...row }) => ({ ...row, ...openDetails(cipher, row.personId, details) }))
}

/** The people of a partner or of the operator's account, in the order in which they were invited. */
export function listPeople(db: Queryable, cipher: FieldCipher, partnerId: Id<'partner'>): Promise<Person[]> {
  return selectPeople(db, cipher, sql`partner_id = ${partnerId}`)
}

/** A partner's people with this address who were not removed. */
export function listPeopleByEmail(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, email }: { partnerId: Id<'partner'>; email: string },
): Promise<Person[]> {
  const hashes = emailHashes(cipher, email)
  return selectPeople(db, cipher, sql`email_hash = any(${hashes}::text[]) and partner_id = ${partnerId}`)
}

/** People of partners that are not disabled, who were not removed and have this address; with their partner's name. */
export async function listPartnersPeopleByEmail(
  system: Queryable,
  cipher: FieldCipher,
  email: string,
): Promise<(Person & { partnerName: string })[]> {
  const hashes = emailHashes(cipher, email)
  const partners = await system.query<{ partnerId: Id<'partner'>; name: string }>(sql`
    select distinct partner_id as "partnerId", name from partners join people using (partner_id)
     where email_hash = any(${hashes}::text[]) and disabled_at is null and partner_id <> ${operatorAccountId}`)
  const found = await Promise.all(
    partners.map(async ({ partnerId, name }) =>
      (await listPeopleByEmail(system, cipher, { partnerId, email })).map((each) => ({ ...each, partnerName: name })),
    ),
  )
  return found.flat()
}

/** The operator's person who is this subject at the identity provider, also a removed one; undefined if nobody is. */
export async function findPersonBySubject(tx: Tx, cipher: FieldCipher, subject: string): Promise<Person | undefined> {
  const hashes = cipher.hashes(subject)
  const where = sql`subject_hash = any(${hashes}::text[]) and partner_id = ${operatorAccountId}`
  const [person] = await selectPeople(tx, cipher, where)
  return person
}

/** Lets somebody else be the subject that a removed person was. */
export async function forgetSubject(tx: Tx, cipher: FieldCipher, person: Person): Promise<void> {
  const { details } = sealed(cipher, { ...person, subject: null })
  await tx.query(sql`
    update people set details_encrypted = ${details}, subject_hash = null
     where partner_id = ${person.partnerId} and person_id = ${person.personId}`)
}

/** The person with this id, of whatever partner; undefined if there is none. */
export async function findPerson(
  system: Queryable,
  cipher: FieldCipher,
  personId: string,
): Promise<Person | undefined> {
  const [person] = await selectPeople(system, cipher, sql`person_id = ${personId}`)
  return person
}

/** Entries of the audit log, each with the name of today of the person who did it; null if it was nobody. */
export async function withPeopleNames<Entry extends { credential: string | null }>(
  system: Queryable,
  cipher: FieldCipher,
  entries: readonly Entry[],
): Promise<(Entry & { person: string | null })[]> {
  // What makes it less certain stands after the id.
  const idOf = ({ credential }: Entry) => credential?.split(' ')[0] ?? ''
  const personIds = [...new Set(entries.map(idOf))].filter((id) => isId('person', id))
  // Mostly programs act.
  const people =
    personIds.length === 0 ? [] : await selectPeople(system, cipher, sql`person_id = any(${personIds}::text[])`)
  const names = new Map<string, string>(people.map(({ personId, name }) => [personId, name]))
  return entries.map((entry) => ({ ...entry, person: names.get(idOf(entry)) ?? null }))
}

/** Stores a new person. */
export async function insertPerson(tx: Tx, cipher: FieldCipher, person: Person): Promise<void> {
  const { personId, partnerId, roles, scopes, branches, state, invitedBy, invitedAt } = person
  const { details, emailHash, subjectHash } = sealed(cipher, person)
  await tx.query(sql`
    insert into people (person_id, partner_id, details_encrypted, email_hash, subject_hash, roles, scopes, branches,
                        state, invited_by, invited_at)
    values (${personId}, ${partnerId}, ${details}, ${emailHash}, ${subjectHash}, ${roles}, ${scopes}, ${branches},
            ${state}, ${invitedBy}, ${invitedAt})`)
}

/** Stores what has changed. The caller holds the lock on the partner's row. */
export async function updatePerson(tx: Tx, cipher: FieldCipher, person: Person): Promise<void> {
  const { personId, partnerId, roles, scopes, branches, state, invitedBy } = person
  const { details, emailHash, subjectHash } = sealed(cipher, person)
  await tx.query(sql`
    update people set details_encrypted = ${details}, email_hash = ${emailHash}, subject_hash = ${subjectHash},
                      roles = ${roles}, scopes = ${scopes}, branches = ${branches}, state = ${state},
                      invited_by = ${invitedBy}
     where partner_id = ${partnerId} and person_id = ${personId} and state <> 'removed'`)
}
