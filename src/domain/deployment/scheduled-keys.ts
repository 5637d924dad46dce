import type { Queryable, Tx } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { refreshed } from '../../kernel/refreshed.ts'
import { acceptedKeys, type KeySchedule, readSchedule } from './key-schedule.ts'
import { findSetting, insertSetting } from './settings.store.ts'

/** A kind of key that can be replaced while servers run. */
export interface ScheduledKeyKind {
  /** The setting that contains the schedule. */
  setting: string
  /** The id of the first key, which is created if there is none. */
  first(db: Queryable): Promise<string>
  /** Creates and stores a key, and returns its id. */
  create(db: Queryable): Promise<string>
  /** Deletes what only signing needs, when the key is replaced. */
  retire(tx: Tx, id: string): Promise<void>
  /** Deletes the rest of a key that verifies nothing more. */
  forget(tx: Tx, id: string): Promise<void>
}

/**
 * The schedule of this kind of key; creates the first key if there is none. If several processes do this at the same time, all of them
 * use the key that one of them created.
 */
export async function loadSchedule(db: Queryable, kind: ScheduledKeyKind): Promise<KeySchedule> {
  const text = await findSetting(db, kind.setting)
  if (text !== undefined) return readSchedule(text)
  const first: KeySchedule = { current: await kind.first(db), previous: [] }
  await insertSetting(db, kind.setting, JSON.stringify(first))
  const stored = await findSetting(db, kind.setting)
  if (stored === undefined) throw new Error(`the schedule ${kind.setting} could not be stored`)
  return readSchedule(stored)
}

/**
 * Returns a function that gives the keys built from the schedule. It notices a replacement within two seconds, and returns the same object
 * until then.
 */
export function followSchedule<Keys>(
  { db, clock }: { db: Queryable; clock: Clock },
  kind: ScheduledKeyKind,
  build: (accepted: readonly string[]) => Promise<Keys>,
): () => Promise<Keys> {
  const read = refreshed<{ accepted: string[]; keys: Keys }>(clock, async (previous) => {
    const accepted = acceptedKeys(await loadSchedule(db, kind), clock.now())
    if (previous !== undefined && accepted.join() === previous.accepted.join()) return previous
    return { accepted, keys: await build(accepted) }
  })
  return async () => (await read()).keys
}
