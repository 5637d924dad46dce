import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** How often the customer's links were revoked. */
export async function findLinksRevision(
  db: Queryable,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`
    select links_revision as revision from customers where partner_id = ${partnerId} and customer_id = ${customerId}`)
  return row?.revision ?? 0
}

/** Makes every link that was made for the customer until now open nothing. */
export async function revokeLinksOf(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`
    update customers set links_revision = links_revision + 1 where partner_id = ${partnerId}
        and customer_id = ${customerId}`)
}

/** Ends the links to the tenant's pages and the sessions that they began. Returns the number with which new links work. */
export async function endOnboardingLinksOf(
  tx: Tx,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
): Promise<number> {
  const [row] = await tx.query<{ revision: number }>(sql`
    update customers set onboarding_revision = onboarding_revision + 2
     where partner_id = ${partnerId} and customer_id = ${customerId} returning onboarding_revision as revision`)
  if (row === undefined) throw new Error('a customer with a link is not stored')
  return row.revision
}

/** The number with which links to the tenant's pages work at present. */
export async function findOnboardingRevision(
  db: Queryable,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`
    select onboarding_revision as revision from customers
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
  if (row === undefined) throw new Error('a customer with a link is not stored')
  return row.revision
}

/**
 * Records that the tenant opened a link with this number: earlier links and their sessions end, and the link that was
 * opened goes on working. Returns the number with which the marks of browsers work; undefined if the link has ended
 * meanwhile.
 */
export async function recordOpenedPages(
  tx: Tx,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  { revision, now }: { revision: number; now: Date },
): Promise<number | undefined> {
  const [row] = await tx.query<{ devicesRevision: number }>(sql`
    update customers set onboarding_revision = ${revision}, pages_opened_at = coalesce(pages_opened_at, ${now})
     where partner_id = ${partnerId} and customer_id = ${customerId}
       and onboarding_revision in (${revision}, ${revision - 1}) returning devices_revision as "devicesRevision"`)
  return row?.devicesRevision
}

/** Ends the marks of all browsers that need no other code of the customer's. */
export async function endDevicesOf(
  tx: Tx,
  { partnerId, customerId }: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
): Promise<void> {
  await tx.query(sql`
    update customers set devices_revision = devices_revision + 1
     where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

/**
 * Records that the tenant reads the e-mails to the address that the customer has now. Returns false, and does nothing,
 * if the session has ended, for example because the address was changed.
 */
export async function recordConfirmedEmail(
  tx: Tx,
  { partnerId, customerId, now }: { partnerId: Id<'partner'>; customerId: Id<'tenant'>; now: Date },
  { revision }: { revision: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update customers set email_confirmed_at = coalesce(email_confirmed_at, ${now})
     where partner_id = ${partnerId} and customer_id = ${customerId} and onboarding_revision = ${revision}
    returning 1`)
  return rows.length === 1
}
