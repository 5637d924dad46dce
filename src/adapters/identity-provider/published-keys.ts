import type { KeyObject } from 'node:crypto'
import {
  isSameKey,
  mayHaveSigned,
  type TokenKeyHeader,
  type VerificationKey,
  type VerificationKeys,
} from '../../domain/auth/verification-key.ts'
import type { Clock } from '../../kernel/clock.ts'

/** A provider's keys, read when they are needed and kept in memory. */
export interface PublishedKeys extends VerificationKeys {
  /** To be called with a key the provider itself is known to use now: where it is new, the set is read at once. */
  expect(wanted: TokenKeyHeader): void
}

/** The set is read again in the background once it is this old. */
const freshForMs = 10 * 60_000
/** A key nobody has heard of makes us read the set at most this often, so that invented ones cannot make us ask all the time. */
const floorMs = 30_000
/** After a failed reading, how long before the next. */
const pauseAfterFailureMs = 5_000
/** A key that is no longer published is taken for this long: as long as a token of ours lives, so that a rotation ends none. */
const retiredForMs = 24 * 3_600_000
/** Far more than rotations need. Nonsense shall not fill the memory. */
const mostRetired = 100

interface RetiredKey {
  entry: VerificationKey
  until: number
}

/**
 * Keys that were read once are used, however old, while the provider cannot be reached. Readings that are wanted at the same time
 * are one. `read` throws `UpstreamFailure` where it gets no usable set.
 */
export function createPublishedKeys({
  read,
  clock,
}: {
  read: () => Promise<readonly VerificationKey[]>
  clock: Clock
}): PublishedKeys {
  let published: readonly VerificationKey[] = []
  let retired: readonly RetiredKey[] = []
  let readAt: number | undefined
  let failed: { at: number; error: unknown } | undefined
  let reading: Promise<void> | undefined
  let lastExpected: string | undefined

  const now = () => clock.now().getTime()
  const isWithin = (ms: number, since: number | undefined) => since !== undefined && Math.abs(now() - since) < ms

  function refresh(): Promise<void> {
    reading ??= readSet().finally(() => {
      reading = undefined
    })
    return reading
  }

  async function readSet(): Promise<void> {
    try {
      const found = await read()
      const at = now()
      const left = published.map((entry) => ({ entry, until: at + retiredForMs }))
      retired = [...left, ...retired]
        .filter(({ entry, until }) => until > at && !found.some((each) => isSameKey(each, entry)))
        .slice(0, mostRetired)
      published = found
      readAt = at
      failed = undefined
    } catch (error) {
      failed = { at: now(), error }
      throw error
    }
  }

  /** What goes wrong is kept in `failed`, and the way out has logged it. */
  function refreshInBackground(): void {
    if (!isWithin(pauseAfterFailureMs, failed?.at)) refresh().catch(() => undefined)
  }

  function known(wanted: TokenKeyHeader, tried: readonly KeyObject[] = []): readonly VerificationKey[] {
    const stillTaken = retired.filter(({ until }) => until > now()).map(({ entry }) => entry)
    return [...published, ...stillTaken].filter(
      (entry) => mayHaveSigned(entry, wanted) && !tried.some((key) => key.equals(entry.key)),
    )
  }

  async function waitForNews(): Promise<void> {
    if (reading !== undefined) return reading
    if (failed !== undefined && isWithin(pauseAfterFailureMs, failed.at)) throw failed.error
    if (failed !== undefined || !isWithin(floorMs, readAt)) return refresh()
  }

  return {
    async find(wanted, tried) {
      let found = known(wanted, tried)
      if (found.length > 0) {
        if (!isWithin(freshForMs, readAt)) refreshInBackground()
      } else {
        await waitForNews()
        found = known(wanted, tried)
      }
      return found.map(({ key }) => key)
    },

    expect(wanted) {
      const name = `${wanted.algorithm} ${wanted.keyId}`
      if (known(wanted).length > 0 || lastExpected === name) return
      // Once for each name: a provider that never publishes it is not asked with every token.
      lastExpected = name
      refreshInBackground()
    },
  }
}
