import type { FastifyReply } from 'fastify'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { CallCount, CallCounters, LimitPolicy } from '../../platform/rate-limits/call-counter.ts'
import { rateLimitExceeded, setRateLimitHeaders } from '../http/rate-limit.ts'

interface TokenCall {
  /** Undefined if the request did not name a client. */
  clientId: string | undefined
  /** The client's network, as returned by `networkOf`. */
  network: string
}

export interface TokenLimits {
  /** Call this before the secret is checked. Sets the headers; throws `rate_limited`. */
  admit(call: TokenCall, reply: FastifyReply): Promise<AdmittedCall>
}

/** Call at most one of these functions. If you call neither, the token request counts as failed. */
interface AdmittedCall {
  /**
   * Call this if a token was issued. Throws `rate_limited` if the client has used up its tokens, counted across all
   * addresses.
   */
  succeeded(): Promise<void>
  /** Call this if the request failed through no fault of the caller, so that it is not counted as a failure. */
  undoCount(): Promise<void>
}

/** The quota of failures is this many times the quota of calls, because several clients may share an address. */
const failuresForEachCall = 5
/** How long an address that sent the right secret is trusted for that client: a week. */
const knownForSeconds = 7 * 86_400

/**
 * Limits token requests by client and address; a `callsPerMinute` of 0 turns the limits off.
 *
 * Each client may make `callsPerMinute` requests from each address, so a stranger who uses up the quota at one address
 * does not block the client at another. Each client may also get `callsPerMinute` tokens, counted across all addresses.
 * Failures are counted twice: for the address (all clients together) and for the client (all addresses together). An
 * address with too many failures is blocked before any secret is checked. A client with too many failures gets tokens
 * only at addresses that have sent the right secret before.
 */
export function createTokenLimits(
  callsPerMinute: number,
  { counters, cipher }: { counters: CallCounters; cipher: Pick<FieldCipher, 'hash'> },
): TokenLimits {
  const admitted: AdmittedCall = {
    succeeded: () => Promise.resolve(),
    undoCount: () => Promise.resolve(),
  }
  if (callsPerMinute === 0) return { admit: () => Promise.resolve(admitted) }

  const policy: LimitPolicy = { name: 'token', quota: callsPerMinute, windowSeconds: 60 }
  const failurePolicy: LimitPolicy = {
    name: 'token-failures',
    quota: callsPerMinute * failuresForEachCall,
    windowSeconds: 60,
  }
  const calls = counters.open(policy)
  const failures = counters.open(failurePolicy)
  const knownAddresses = counters.open({ name: 'token-known', quota: 1, windowSeconds: knownForSeconds })

  return {
    async admit({ clientId, network }, reply) {
      const address = keyOf('address', network)
      const here = keyOf('here', network, clientId ?? '')
      const count = await calls.add(here, 1)
      setRateLimitHeaders(reply, policy, count)
      if (count.total > policy.quota) throw rateLimitExceeded(policy, count)
      if (clientId === undefined) return admitted

      const client = keyOf('client', clientId)
      // Count first and undo on success, so that concurrent requests cannot exceed the limit.
      await countFailure(address, reply)
      const isKnown = (await knownAddresses.read(here)).total > 0
      if (!isKnown) {
        await countFailure(client, reply).catch(async (error: unknown) => {
          await failures.add(address, -1)
          throw error
        })
      } else await failures.add(client, 1)
      const undoCount = async () => {
        await Promise.all([failures.add(address, -1), failures.add(client, -1)])
      }
      return {
        undoCount,
        async succeeded() {
          await undoCount()
          const tokens = await calls.add(client, 1)
          if (tokens.total >= count.total) setRateLimitHeaders(reply, policy, tokens)
          if (tokens.total > policy.quota) throw rateLimitExceeded(policy, tokens)
          if (!isKnown) await knownAddresses.add(here, 1)
        },
      }
    },
  }

  /**
   * A keyed hash of fixed length: from a leaked store, nobody can recover the addresses by trying every possible
   * address.
   */
  function keyOf(...parts: readonly string[]): string {
    return cipher.hash(JSON.stringify(parts))
  }

  async function countFailure(key: string, reply: FastifyReply): Promise<void> {
    const count: CallCount = await failures.add(key, 1)
    if (count.total <= failurePolicy.quota) return
    setRateLimitHeaders(reply, failurePolicy, count)
    throw rateLimitExceeded(failurePolicy, count)
  }
}
