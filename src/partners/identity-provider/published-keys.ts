import type { KeyObject } from 'node:crypto'
import type { Clock } from '../../platform/kernel/clock.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import {
  isSameKey,
  mayHaveSigned,
  type TokenKeyHeader,
  type VerificationKey,
  type VerificationKeys,
} from '../verification-key.ts'

/** A provider's keys, loaded when needed and cached in memory. */
export interface PublishedKeys extends VerificationKeys {
  /**
   * Call this with a key that the provider is known to use. If the key is not in the cache, the set is loaded at once.
   */
  expect(wanted: TokenKeyHeader): void
}

/** A key set older than this is reloaded in the background. */
const freshForMs = 10 * 60_000
/**
 * The minimum interval between reloads triggered by unknown key ids, so that invented ids cannot flood the provider.
 */
const minReloadIntervalMs = 30_000
/** How long to wait after a failed load. */
const pauseAfterFailureMs = 5_000
/**
 * A key that is no longer published stays valid for the lifetime of our tokens, so that a rotation does not invalidate
 * any token.
 */
const retiredForMs = 24 * 3_600_000
/**
 * The maximum number of retired keys: far more than rotations need. It limits the memory that unusual key sets can use.
 */
const maxRetired = 100
/** The maximum number of key ids that are remembered, for the same reason. */
const maxSeenIds = 1_000

interface RetiredKey {
  entry: VerificationKey
  until: number
}

/**
 * While the provider cannot be reached, loaded keys are used however old they are. Concurrent loads are combined into
 * one. `read` throws `UpstreamFailure` if it gets no usable set.
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
  /** The ids of all keys that were ever published: a token that names one of them is not too new. */
  const seenIds = new Set<string>()
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
        .slice(0, maxRetired)
      published = found
      remember(found)
      readAt = at
      failed = undefined
    } catch (error) {
      failed = { at: now(), error }
      throw error
    }
  }

  function remember(found: readonly VerificationKey[]): void {
    for (const { keyId } of found) if (keyId !== undefined) seenIds.add(keyId)
    for (const keyId of seenIds) {
      if (seenIds.size <= maxSeenIds) break
      seenIds.delete(keyId)
    }
  }

  /** Errors are ignored here: `failed` holds the error, and the upstream client has logged it. */
  function refreshInBackground(): void {
    if (!isWithin(pauseAfterFailureMs, failed?.at)) refresh().catch(() => undefined)
  }

  function known(wanted: TokenKeyHeader, tried: readonly KeyObject[] = []): readonly VerificationKey[] {
    const stillTaken = retired.filter(({ until }) => until > now()).map(({ entry }) => entry)
    return [...published, ...stillTaken].filter(
      (entry) => mayHaveSigned(entry, wanted) && !tried.some((key) => key.equals(entry.key)),
    )
  }

  async function waitForNews(wanted: TokenKeyHeader): Promise<void> {
    if (reading !== undefined) return reading
    if (failed !== undefined && isWithin(pauseAfterFailureMs, failed.at)) throw failed.error
    if (failed !== undefined || !isWithin(minReloadIntervalMs, readAt)) return refresh()
    if (wanted.keyId !== undefined && !seenIds.has(wanted.keyId))
      throw tooNew(((readAt ?? 0) + minReloadIntervalMs - now()) / 1000)
  }

  return {
    async find(wanted, tried) {
      let found = known(wanted, tried)
      if (found.length > 0) {
        if (!isWithin(freshForMs, readAt)) refreshInBackground()
      } else {
        await waitForNews(wanted)
        found = known(wanted, tried)
      }
      return found.map(({ key }) => key)
    },

    expect(wanted) {
      const name = `${wanted.algorithm} ${wanted.keyId}`
      if (known(wanted).length > 0 || lastExpected === name) return
      // Reload once for each key id. Otherwise a provider that never publishes the key would be called for every token.
      lastExpected = name
      refreshInBackground()
    },
  }
}

/** The provider may have published the key since the last load, so the token may be valid. */
function tooNew(retryAfterSeconds: number): DomainError {
  return new DomainError(
    'service_unavailable',
    'This token names a key that is not known here yet. If the identity provider has just begun to use it, retry after the number of seconds in Retry-After.',
    { retryAfterSeconds },
  )
}
