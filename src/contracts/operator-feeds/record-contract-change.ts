import type { Tx } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { ContractChange, PsrChange } from './feed-changes.ts'
import { type ChangedContracts, insertContractVersions } from './feed-positions.store.ts'
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
async function updateRegister(tx: Tx, partnerId: Id<'partner'>, customerIds: readonly Id<'tenant'>[]): Promise<void> {
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

/**
 * A change of what the operator's feeds show. `needs_changed`: the register of priority services shows it, the contract
 * feed does not. `not_shown`: neither does.
 */
type ShownChange = { partnerId: Id<'partner'> } & (
  | ({ change: ContractChange } & ChangedContracts)
  | { change: 'customer_changed' | 'needs_changed' | 'not_shown'; customerId: Id<'tenant'> }
)

/** The register lists customers with needs and a contract in force. These change who is in it, or what it says. */
const changesRegister: ReadonlySet<ShownChange['change']> = new Set([
  'in_force',
  'cancelled',
  'ended',
  'customer_changed',
  'corrected',
  'erased',
  'needs_changed',
] as const)

declare const recordedBrand: unique symbol

/**
 * Shows that a write is part of a recorded change. Every function that writes what the operator's feeds show takes it,
 * so a write that is not recorded does not compile. Only `recordContractChange` makes one.
 */
export interface RecordedChange {
  readonly [recordedBrand]: true
}

const recorded = {} as RecordedChange

/**
 * Makes a change of what the operator's feeds show: runs `write`, then adds a version to each of the contracts and
 * brings the register entries of their customers up to date, in the same transaction. Records nothing if `write`
 * returns false: then there was nothing to change. Returns what `write` returned. If the register shows the change, the
 * caller holds the quote's row lock.
 */
export async function recordContractChange<Result>(
  tx: Tx,
  shown: ShownChange,
  write: (recorded: RecordedChange) => Promise<Result>,
): Promise<Result> {
  const result = await write(recorded)
  if (result === false || shown.change === 'not_shown') return result
  const customerIds =
    shown.change === 'needs_changed' ? [shown.customerId] : await insertContractVersions(tx, shown, shown.change)
  if (changesRegister.has(shown.change)) await updateRegister(tx, shown.partnerId, customerIds)
  tx.wakeAfterCommit('versions')
  return result
}

/** The same, for `payments/`, which comes before contracts and gets it as a dependency. */
export type RecordContractChange = typeof recordContractChange
