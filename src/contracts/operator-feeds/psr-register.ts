import type { Tx } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PsrChange } from './feed-changes.ts'
import { deleteClosedEntry, listRegistrations, putPsrEntry, type ToRegister } from './psr-entries.store.ts'

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
