import { createHash, randomBytes } from 'node:crypto'
import { recordSignIn } from '../../contracts/deaths/deaths.store.ts'
import { queueCodeMail } from '../../contracts/mails/link-mail.ts'
import { formTokenOf } from '../../pages/cookies.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { comparableEmail } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { endDevicesOf, recordConfirmedEmail, recordOpenedPages } from '../../quoting/tenants/link-revisions.store.ts'
import {
  deleteSession,
  findMailOutcome,
  findSession,
  findSessionForUpdate,
  insertSession,
  prolongSession,
  recordTry,
  type StoredSession,
  storeCode,
} from './tenant-sessions.store.ts'

/** How long a session lasts, and how often a code can be tried. */
export const sessionHours = 12
const maxTries = 5

/** How long a code works. */
export const codeMinutes = 10

/** Whose session it is. The database shows only the partner's rows, and `now` is on the partner's clock. */
export interface SessionOwner {
  db: Database
  cipher: FieldCipher
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  now: Date
}

/** A tenant's session on our pages. The browser keeps the secret in a cookie. */
export interface TenantSession {
  secret: string
  /** The number of the link that it began with. */
  revision: number
  /** Whether the tenant has proved in this browser to read the e-mails to their address. */
  isConfirmed: boolean
  /** When the code ends that was e-mailed and can still be entered; null if there is none. */
  codeExpiresAt: Date | null
  /** What each form of the session sends along, so that no other site can send one (CSRF). */
  formToken: string
}

/** With a key of the deployment, so that nobody who can write to the database makes a session. */
const hashOf = ({ cipher }: Pick<SessionOwner, 'cipher'>, secret: string) => cipher.hash(`session ${secret}`)

const numberOf = (hash: string) => Number.parseInt(createHash('sha256').update(hash).digest('hex').slice(0, 12), 16)

/**
 * Begins a session with an opened link, whose revision becomes the current one: earlier links and sessions end. A
 * session of the browser that began with the same revision (`running`) goes on instead, with the code that was e-mailed
 * for it. Returns undefined if the link has ended meanwhile. `device` is the mark of a browser that was confirmed
 * before.
 */
export function beginSession(
  owner: SessionOwner,
  { revision, running, device }: { revision: number; running: string | undefined; device: string | undefined },
): Promise<string | undefined> {
  const { db, cipher, partnerId, customerId, now } = owner
  const secret = randomBytes(32).toString('base64url')
  const expiresAt = new Date(now.getTime() + sessionHours * 3_600_000)
  return inTransaction(db, {}, async (tx) => {
    const devicesRevision = await recordOpenedPages(tx, { partnerId, customerId }, { revision, now })
    if (devicesRevision === undefined) return undefined
    if (running !== undefined) {
      const session = { sessionHash: hashOf(owner, running), partnerId, customerId, revision, now }
      if (await prolongSession(tx, session, expiresAt)) return running
    }
    const isConfirmed = device !== undefined && deviceMarks(cipher, { customerId, devicesRevision }).includes(device)
    await insertSession(tx, {
      ...{ sessionHash: hashOf(owner, secret), partnerId, customerId },
      ...{ revision, isConfirmed, expiresAt },
    })
    return secret
  })
}

/**
 * What a browser keeps after its tenant has entered a code, one for each key that hashes are made with at present: of use
 * only with a link, and only until the tenant signs out anywhere or has another e-mail address.
 */
export function deviceMarks(
  cipher: FieldCipher,
  { customerId, devicesRevision }: { customerId: Id<'tenant'>; devicesRevision: number },
): string[] {
  return cipher.hashes(`device ${customerId} ${devicesRevision}`)
}

/** The customer's session with this secret; undefined if it has ended, or if the links that it began with have. */
export async function findTenantSession(
  owner: SessionOwner,
  { secret, revision }: { secret: string; revision: number },
): Promise<TenantSession | undefined> {
  const { db, partnerId, customerId, now } = owner
  const stored = await findSession(db, { partnerId, sessionHash: hashOf(owner, secret), customerId, now })
  if (stored === undefined || stored.revision !== revision) return undefined
  const codeExpiresAt = hasCode(stored, now) ? stored.codeExpiresAt : null
  return { secret, revision, isConfirmed: stored.isConfirmed, codeExpiresAt, formToken: formTokenOf(secret) }
}

function hasCode({ codeExpiresAt, codeTries }: StoredSession, now: Date): boolean {
  return codeExpiresAt !== null && codeExpiresAt > now && codeTries < maxTries
}

/**
 * The six digits that were e-mailed for a session, one for each key that hashes are made with at present. They follow
 * from the session, the end of the code and the address that is to be proved, if the customer has none, so they are
 * stored nowhere but in the e-mail.
 */
export function codesOf(
  cipher: FieldCipher,
  { secret }: Pick<TenantSession, 'secret'>,
  expiresAt: Date,
  firstAddress?: string,
): string[] {
  const about = firstAddress === undefined ? '' : ` ${comparableEmail(firstAddress)}`
  return cipher
    .hashes(`code ${secret} ${expiresAt.toISOString()}${about}`)
    .map((hash) => String(numberOf(hash) % 1_000_000).padStart(6, '0'))
}

/** What became of the e-mail with the code that ends then; undefined if none was queued. */
export function codeMailOf(
  { db, ...owner }: Omit<SessionOwner, 'cipher'>,
  expiresAt: Date,
): ReturnType<typeof findMailOutcome> {
  const createdAt = new Date(expiresAt.getTime() - codeMinutes * 60_000)
  return findMailOutcome(db, owner, { kind: 'confirmation_code', createdAt })
}

/**
 * E-mails a new code to the customer's address or, if they have none, to their first one. Returns until when the code
 * works; null if nothing is sent to it, or if we send no e-mails.
 */
export async function sendCode(
  { db, partnerId, customerId, now }: Omit<SessionOwner, 'cipher'>,
  deps: Parameters<typeof queueCodeMail>[1],
  { secret, quote, firstAddress }: Pick<TenantSession, 'secret'> & { quote: Quote; firstAddress: string | undefined },
): Promise<Date | null> {
  const expiresAt = new Date(now.getTime() + codeMinutes * 60_000)
  const [code] = codesOf(deps.cipher, { secret }, expiresAt, firstAddress)
  if (code === undefined) throw new Error('there is no key for hashes')
  return inTransaction(db, {}, async (tx) => {
    const became = await queueCodeMail(tx, deps, { partnerId, now }, { quote, customerId, code, to: firstAddress })
    if (became !== 'queued' && deps.realm === 'live') return null
    await storeCode(tx, { partnerId, sessionHash: hashOf(deps, secret) }, expiresAt)
    return expiresAt
  })
}

/**
 * Confirms the session with the code from the e-mail, and keeps the first address that it proved, by `keep`. Returns
 * whether it was the right one. Throws what `keep` throws.
 */
export function enterCode(
  { db, cipher, partnerId, customerId, now }: SessionOwner,
  { secret }: Pick<TenantSession, 'secret'>,
  code: string,
  first?: { address: string; keep(tx: Tx): Promise<void> },
): Promise<boolean> {
  const sessionHash = hashOf({ cipher }, secret)
  return inTransaction(db, {}, async (tx) => {
    const stored = await findSessionForUpdate(tx, { partnerId, sessionHash, customerId, now })
    if (stored === undefined || stored.codeExpiresAt === null || !hasCode(stored, now)) return false
    const isSame = codesOf(cipher, { secret }, stored.codeExpiresAt, first?.address).includes(code)
    if (isSame) await first?.keep(tx)
    const isRight = isSame && (await recordConfirmedEmail(tx, { partnerId, customerId, now }, stored))
    await recordTry(tx, { partnerId, sessionHash }, isRight)
    if (isRight) await recordSignIn(tx, { partnerId, customerId }, now)
    return isRight
  })
}

/** Signs the tenant out: ends the session, and the marks of all their browsers, one of which may be somebody else's. */
export async function signOut(
  { db, cipher, partnerId, customerId }: Omit<SessionOwner, 'now'>,
  { secret }: Pick<TenantSession, 'secret'>,
): Promise<void> {
  await inTransaction(db, {}, async (tx) => {
    await deleteSession(tx, { partnerId, sessionHash: hashOf({ cipher }, secret) })
    await endDevicesOf(tx, { partnerId, customerId })
  })
}
