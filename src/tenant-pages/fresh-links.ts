import { lastMomentOfPages } from '../contracts/links/issue-onboarding-link.ts'
import { loadCustomerWithQuoteForUpdate } from '../contracts/load-quote-of-customer.ts'
import { queueLinkMails } from '../contracts/mails/link-mail.ts'
import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { emailHashes } from '../platform/kernel/email.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { hasLinkSince, listCustomersOfEmail } from './tenants-of-email.store.ts'

type FreshLinkDependencies = {
  databases: Databases
  clock: Clock
  cipher: FieldCipher
} & Parameters<typeof queueLinkMails>[1]

/** How long a tenant waits between two links that they ask for. */
const hoursBetween = 1
/** A tenant rarely has more contracts at once. */
const mostLinks = 5
/** How many customers with one e-mail address are looked at, newest first. Some have no pages any more. */
const mostCustomers = 50

/**
 * Sends a fresh link to each tenant with this e-mail address, unless one that works is on its way or reached them
 * within the hour, and to nobody else. Their links in use go on working until a fresh one is opened. Returns whom
 * e-mails are to be sent to; who asks must not learn it.
 */
export async function sendFreshLinks(
  deps: FreshLinkDependencies,
  email: string,
  requestId: string,
): Promise<{ partnerId: Id<'partner'>; customerId: Id<'tenant'> }[]> {
  const hashes = emailHashes(deps.cipher, email)
  const found = await listCustomersOfEmail(deps.databases.system, { hashes, limit: mostCustomers })
  const sent: { partnerId: Id<'partner'>; customerId: Id<'tenant'> }[] = []
  for (const { partnerId, customerId, clockOffsetSeconds } of found) {
    if (sent.length >= mostLinks) break
    const db = deps.databases.forPartner(partnerId, { actor: 'tenant', requestId, operation: 'sendFreshLink' })
    const now = new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000)
    const caller = { partnerId, clientId: 'tenant', requestId, now }
    try {
      const isSent = await inTransaction(db, {}, async (tx) => {
        const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, deps.cipher, caller, customerId)
        if (customer.erasedAt !== null || customer.removedAt !== null) return false
        if (await hasLinkSince(tx, customer, new Date(now.getTime() - hoursBetween * 3_600_000))) return false
        lastMomentOfPages({ quote, customerId, now })
        await queueLinkMails(tx, deps, caller, { quote, customerIds: [customerId], isAskedFor: true })
        return true
      })
      if (isSent) sent.push({ partnerId, customerId })
    } catch (error) {
      // Nobody has pages any more: the offer was cancelled, or the contract has long been over.
      if (!(error instanceof DomainError)) throw error
    }
  }
  return sent
}

/**
 * E-mails a customer whom a tenant has just named, or who has just changed their own address (`isAskedFor`), the link
 * to their pages. Returns false if this deployment does not write to them.
 */
export async function sendFirstLink(
  deps: { db: Database; cipher: FieldCipher } & Parameters<typeof queueLinkMails>[1],
  caller: Caller,
  customerId: Id<'tenant'>,
  isAskedFor: boolean,
): Promise<boolean> {
  return inTransaction(deps.db, {}, async (tx) => {
    const { quote } = await loadCustomerWithQuoteForUpdate(tx, deps.cipher, caller, customerId)
    lastMomentOfPages({ quote, customerId, now: caller.now })
    const became = await queueLinkMails(tx, deps, caller, { quote, customerIds: [customerId], isAskedFor })
    return became.includes('queued')
  })
}
