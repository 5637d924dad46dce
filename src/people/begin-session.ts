import { randomBytes } from 'node:crypto'
import { lockPartner } from '../partners/partners.store.ts'
import type { Tx } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { newId } from '../platform/kernel/ids.ts'
import type { Person } from './people.store.ts'
import { insertPersonSession } from './person-sessions.store.ts'

/** How long a session lasts at most, how long one of the operator's people lasts unused, and what counts as just now. */
export const sessionMinutes = { longest: 720, unused: 60, recent: 15 }

export const minutesBefore = (now: Date, minutes: number) => new Date(now.getTime() - minutes * 60_000)

/**
 * The hash by which a secret of a browser is found. It is made with a key of the deployment, so that nobody who can write
 * to the database makes a session.
 */
export function secretHash(cipher: Pick<FieldCipher, 'hash'>, secret: string): string {
  return cipher.hash(`session ${secret}`)
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
  cipher: Pick<FieldCipher, 'hash'>,
  person: Person,
  given: { browser: string; isSharedMailbox?: boolean; now: Date; provedAt?: Date | undefined },
): Promise<string | undefined> {
  const { browser, isSharedMailbox = false, now, provedAt = now } = given
  const secret = newSecret()
  await lockPartner(tx, person.partnerId)
  const isStored = await insertPersonSession(tx, person, {
    ...{
      sessionHash: secretHash(cipher, secret),
      sessionId: newId('session'),
      isSharedMailbox,
      browser: browser.slice(0, 300),
    },
    ...{ signedInAt: provedAt, lastSeenAt: now, expiresAt: minutesBefore(now, -sessionMinutes.longest) },
  })
  return isStored ? secret : undefined
}
