import type { Tx } from '../../platform/db/database.ts'
import { addDays, londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { pence } from '../../platform/kernel/money.ts'
import { type AccountOwner, findAccount, findAccountOwner, storeCounted, storeExceeding } from './account.store.ts'
import { type Balance, countAccount } from './account.ts'
import { insertPaymentEntries, type NewPaymentEntry } from './payment-entries.store.ts'

/**
 * How many days after a tenant's notice, or after money has become theirs, a refund must be made (CCR 2013, reg. 34).
 */
export const refundDays = 14

/** What is settled of a contract's price, in pence. */
export async function findBalance(tx: Tx, owner: AccountOwner): Promise<Balance> {
  return countAccount(await findAccount(tx, owner)).balance
}

/** A refund, without the fields that it has in common with no payment. */
export function newRefund(
  refund: Pick<NewPaymentEntry, 'contractNumber' | 'date' | 'amount' | 'refundKind' | 'paidBackBefore'> &
    Partial<NewPaymentEntry>,
): NewPaymentEntry {
  return { ...refund, kind: 'refund', periodStart: null, periodEnd: null, description: 'Refund' }
}

/**
 * Counts the account of an entry's contract again, after a report about it. What has become the tenant's is planned as
 * a refund. Returns whether anything changed. The caller holds the quote's row lock.
 */
export async function recount(
  tx: Tx,
  partnerId: Id<'partner'>,
  entryId: Id<'entry'>,
  { now }: { now: Date },
): Promise<boolean> {
  const owner = await findAccountOwner(tx, partnerId, entryId)
  if (owner === undefined) throw new Error('a report names an entry that is gone')
  const { stored, ...account } = await findAccount(tx, owner)
  const counted = countAccount(account)
  const before = new Map(stored.map((entry) => [entry.entryId, entry]))
  const changed = counted.entries.filter((entry) => {
    const old = before.get(entry.entryId)
    return old === undefined || Object.entries(entry).some(([name, value]) => !isSame(value, Reflect.get(old, name)))
  })
  for (const entry of changed) await storeCounted(tx, partnerId, entry)
  await storeExceeding(tx, partnerId, [...before.keys()], counted.exceeds)
  const { refundsToAdd } = counted
  const date = addDays(londonDate(now), refundDays)
  const { contractNumber } = owner
  const refunds = refundsToAdd.map(({ amount, ...refund }) =>
    newRefund({ ...refund, contractNumber, date, amount: pence(amount), refundKind: 'payment_back' }),
  )
  if (refunds.length > 0) await insertPaymentEntries(tx, owner, refunds, now)
  return changed.length > 0 || refunds.length > 0
}

function isSame(one: unknown, other: unknown): boolean {
  return one instanceof Date && other instanceof Date ? +one === +other : one === other
}
