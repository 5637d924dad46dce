import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PsrChange } from './feed-changes.ts'

/**
 * What is to be registered of a customer: nothing (no needs, or no contract in force), needs that have all ended, or
 * needs.
 */
type ToRegister = 'nothing' | 'ended needs' | 'needs'

/** A customer who is or was to be registered. */
interface Registration {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  isErased: boolean
  toRegister: ToRegister
  /** What the entry says last; null without an entry. */
  lastChange: PsrChange | null
}

/** What a change of the customer makes of the last entry. Null leaves the entry as it is. */
const nextEntry: Readonly<Record<ToRegister, Readonly<Record<PsrChange | 'no entry', PsrChange | null>>>> = {
  nothing: {
    'no entry': null,
    registered: 'withdrawn',
    changed: 'withdrawn',
    expired: 'withdrawn',
    withdrawn: null,
  },
  'ended needs': {
    'no entry': 'expired',
    registered: 'expired',
    changed: 'expired',
    expired: 'expired',
    withdrawn: 'expired',
  },
  needs: {
    'no entry': 'registered',
    registered: 'changed',
    changed: 'changed',
    expired: 'changed',
    withdrawn: 'registered',
  },
}

/**
 * Brings customers' entries in the register of priority services up to date. Of an erased customer, an entry is kept
 * only until its withdrawal has been acknowledged. The caller holds the quote's row lock.
 */
export async function updateRegister(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<void> {
  if (customerIds.length === 0) return
  for (const { customerId, quoteId, toRegister, lastChange, isErased } of await listRegistrations(
    tx,
    partnerId,
    customerIds,
  )) {
    const change = nextEntry[toRegister][lastChange ?? 'no entry']
    if (change !== null) await putPsrEntry(tx, { partnerId, quoteId, customerId, change })
    else if (isErased) await deleteClosedEntry(tx, partnerId, customerId)
  }
}

/** Those of the customers who have needs or an entry. */
function listRegistrations(
  tx: Tx,
  partnerId: Id<'partner'>,
  customerIds: readonly Id<'tenant'>[],
): Promise<Registration[]> {
  return tx.query<Registration>(sql`
    select c.customer_id as "customerId", c.quote_id as "quoteId", c.erased_at is not null as "isErased",
           e.change as "lastChange",
           case when c.psr_review_on is null or (
                       select count(*) from contracts k
                        where k.partner_id = c.partner_id and k.customer_id = c.customer_id
                          and k.status = 'in_force') = 0
                then 'nothing'
                when c.psr_review_on = '-infinity' then 'ended needs'
                else 'needs' end as "toRegister"
      from customers c
      left join psr_entries e on e.partner_id = c.partner_id and e.customer_id = c.customer_id
     where c.partner_id = ${partnerId} and c.customer_id = any(${[...customerIds]}::text[])
       and (c.psr_review_on is not null or e.customer_id is not null)
     order by c.customer_id`)
}

/** Stores what happened as a new version of the customer's entry, at the end of the feed. */
async function putPsrEntry(
  tx: Tx,
  entry: { partnerId: Id<'partner'>; quoteId: Id<'quote'>; customerId: Id<'tenant'>; change: PsrChange },
): Promise<void> {
  await tx.query(sql`
    insert into psr_entries (customer_id, partner_id, quote_id, version, change)
    values (${entry.customerId}, ${entry.partnerId}, ${entry.quoteId}, 1, ${entry.change})
    on conflict (customer_id, partner_id) do update
       set version = psr_entries.version + 1, change = excluded.change, changed_at = excluded.changed_at,
           transaction_id = excluded.transaction_id, position = null, positioned_at = null`)
}

/** Deletes the customer's entry if its last version has been acknowledged. */
async function deleteClosedEntry(tx: Tx, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<void> {
  await tx.query(sql`
    delete from psr_entries
     where partner_id = ${partnerId} and customer_id = ${customerId} and acknowledged_version = version`)
}
