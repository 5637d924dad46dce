import { setTimeout as sleep } from 'node:timers/promises'
import { composeCipher } from '../../compose/compose.ts'
import { rehashPersons } from '../../domain/customers/rehash-persons.ts'
import { hashKeyId, hashKeyKind } from '../../domain/deployment/hash-keys.ts'
import { promotableAt } from '../../domain/deployment/key-schedule.ts'
import { announceKey, promoteKey, readKeySchedule, shortenOverlap } from '../../domain/deployment/replace-key.ts'
import { storedResponseSeconds } from '../../domain/idempotency/response-retention.ts'
import { rehashReferences } from '../../domain/quotes/references/rehash-references.ts'
import { systemClock } from '../../kernel/clock.ts'
import { printJson } from '../json-option.ts'
import { createProgress, writeProgress } from '../progress.ts'
import { formatCount } from '../table.ts'
import { type CommandDatabase, withDatabase } from '../with-database.ts'
import { logKeyReplaced } from './log-key-replaced.ts'
import type { ReplaceOptions } from './replace-actions.ts'

/** Longer than any server takes to notice the new key and finish the requests that it began before. */
const settleMs = 5_000
/** The old key is needed until the last hash is replaced, which shortens its use; this is only an upper limit. */
const overlapSeconds = 10 * 365 * 86_400
/** A previous key that is used for longer than this belongs to a replacement that was interrupted. */
const unfinishedSeconds = 365 * 86_400
/** Hashes of requests cannot be made again, because the requests are not stored. The old key recognises repeated ones for as long as they may come. */
const repeatsSeconds = storedResponseSeconds + 60

/**
 * The command `keys replace hashes`. Continues with the hashes if an earlier run has already made the new key. With `--compromised`, that key
 * may have leaked too, so it makes another, and deletes all earlier ones at the end.
 */
export async function replaceHashKey({ compromised, json }: ReplaceOptions): Promise<void> {
  const isCompromised = compromised === true
  const replaced = await withDatabase('keys replace hashes', async (opened) => {
    const deps = { db: opened.databases.system, clock: systemClock }
    const kind = hashKeyKind(await composeCipher(deps.db, opened.secrets))
    const { previous } = await readKeySchedule(deps.db, kind)
    const isUnfinished = previous.some(({ until }) => Date.parse(until) > Date.now() + unfinishedSeconds * 1000)
    const resumed = isUnfinished && !isCompromised
    if (!resumed) {
      const announced = await announceKey(deps, kind, { isCompromised })
      if (json) writeProgress('announced')
      else console.error('A new key is announced.')
      await sleep(Math.max(0, (promotableAt(announced)?.getTime() ?? 0) - Date.now()))
      await promoteKey(deps, kind, overlapSeconds)
    }
    const done = await rehashAll(opened, json)
    await shortenOverlap(deps, kind, isCompromised ? 0 : repeatsSeconds)
    logKeyReplaced(opened.log, 'hashes', compromised)
    return { purpose: 'hashes', replaced: done, resumed }
  })
  if (json) printJson(replaced)
  else
    console.log(
      `The key is replaced, and ${formatCount(replaced.replaced)} hashes with it. ${afterwards(isCompromised)}`,
    )
}

/** Repeats until a round finds nothing, because a server may use the old key for two seconds after the new one came into use. */
async function rehashAll({ databases, secrets }: CommandDatabase, json: true | undefined): Promise<number> {
  const cipher = await composeCipher(databases.system, secrets)
  const { current } = await readKeySchedule(databases.system, hashKeyKind(cipher))
  let total = 0
  for (;;) {
    await sleep(settleMs)
    let left = 0
    for (const [unit, rehash] of [['people', rehashPersons] as const, ['references', rehashReferences] as const]) {
      const progress = createProgress(unit)
      const report = (done: number, of: number) =>
        json ? writeProgress({ done: total + done, total: total + of }) : progress.update(done, Math.min(1, done / of))
      const { found, replaced } = await rehash({ databases, cipher }, hashKeyId(current), report).finally(
        progress.clear,
      )
      left += found
      total += replaced
    }
    if (left === 0) return total
  }
}

function afterwards(isCompromised: boolean): string {
  return isCompromised
    ? 'The old key is deleted. A request that is repeated with its Idempotency-Key from before is rejected.'
    : 'For seven days, the old key still recognises requests that are repeated with their Idempotency-Key.'
}
