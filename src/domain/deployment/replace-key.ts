import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { announce, endPreviousWithin, type KeySchedule, promote } from './key-schedule.ts'
import { loadSchedule, type ScheduledKeyKind } from './scheduled-keys.ts'
import { lockSettings, upsertSetting } from './settings.store.ts'

/** The keys as they are now. Creates the first key if there is none. */
export function readKeySchedule(db: Database, kind: ScheduledKeyKind): Promise<KeySchedule> {
  return loadSchedule(db, kind)
}

/**
 * Announces a new key to every process. If one is already announced, a replacement was interrupted and continues with it, unless
 * `isCompromised`: then that key may have leaked too and is replaced by another.
 */
export function announceKey(
  { db, clock }: { db: Database; clock: Clock },
  kind: ScheduledKeyKind,
  { isCompromised }: { isCompromised: boolean },
): Promise<KeySchedule> {
  return changeSchedule(db, kind, async (tx, schedule) => {
    if (schedule.next !== undefined && !isCompromised) return schedule
    if (schedule.next !== undefined) await kind.forget(tx, schedule.next.id)
    return announce(schedule, await kind.create(tx), clock.now())
  })
}

/**
 * Makes the announced key the current one. With an overlap of 0 seconds, everything that earlier keys signed is rejected within two
 * seconds.
 */
export function promoteKey(
  { db, clock }: { db: Database; clock: Clock },
  kind: ScheduledKeyKind,
  overlapSeconds: number,
): Promise<KeySchedule> {
  return changeSchedule(db, kind, async (tx, schedule) => {
    if (schedule.next === undefined) return schedule
    const promoted = promote(schedule, overlapSeconds, clock.now())
    await kind.retire(tx, schedule.current)
    const kept = new Set([promoted.current, ...promoted.previous.map(({ id }) => id)])
    for (const id of [schedule.current, ...schedule.previous.map((each) => each.id)])
      if (!kept.has(id)) await kind.forget(tx, id)
    return promoted
  })
}

/** Shortens the overlap of every earlier key to `overlapSeconds` from now. With 0, deletes these keys. */
export function shortenOverlap(
  { db, clock }: { db: Database; clock: Clock },
  kind: ScheduledKeyKind,
  overlapSeconds: number,
): Promise<KeySchedule> {
  return changeSchedule(db, kind, async (tx, schedule) => {
    const shortened = endPreviousWithin(schedule, overlapSeconds, clock.now())
    for (const { id } of schedule.previous)
      if (!shortened.previous.some((each) => each.id === id)) await kind.forget(tx, id)
    return shortened
  })
}

function changeSchedule(
  db: Database,
  kind: ScheduledKeyKind,
  change: (tx: Tx, schedule: KeySchedule) => Promise<KeySchedule>,
): Promise<KeySchedule> {
  return inTransaction(db, {}, async (tx) => {
    await lockSettings(tx)
    const before = await loadSchedule(tx, kind)
    const after = await change(tx, before)
    if (after !== before) await upsertSetting(tx, kind.setting, JSON.stringify(after))
    return after
  })
}
