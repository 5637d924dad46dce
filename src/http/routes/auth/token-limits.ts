import type { FastifyReply } from 'fastify'
import type { CallCounters, Count, LimitPolicy } from '../../../domain/rate-limits/call-counter.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import { overLimit, tellLimit } from '../../plugins/rate-limit.ts'

export interface TokenCall {
  /** Undefined where the call does not get as far as naming one. */
  clientId: string | undefined
  /** As `networkOf` gives it. */
  network: string
}

export interface TokenLimits {
  /** Before anything that costs something. Sets the headers; throws `rate_limited`. */
  admit(call: TokenCall, reply: FastifyReply): Promise<AdmittedCall>
}

/** Exactly one of these is called; a call of which neither is counts as failed. */
export interface AdmittedCall {
  /** A token was earned. Throws `rate_limited` where the client has had its share of them from all its addresses. */
  succeeded(): Promise<void>
  /** It came to nothing for a reason that is not the caller's. */
  didNotCount(): Promise<void>
}

/** Failures are rarer than calls, and several clients may share an address. */
const failuresForEachCall = 5
/** An address from which the right secret came is trusted to be the client's for a week. */
const knownForSeconds = 7 * 86_400

/**
 * Limits on token calls, `callsPerMinute` for each client; 0 turns them off.
 *
 * A client has its quota at each address it calls from, so that a stranger who spends it elsewhere does not spend the client's; tokens
 * are counted once more for the client as a whole. Failures are counted for each address, whichever clients they name, and for
 * each client, wherever they come from: beyond the first limit an address is turned away before a secret is looked at, beyond
 * the second only addresses are heard from which the right secret came before.
 */
export function createTokenLimits(
  callsPerMinute: number,
  { counters, cipher }: { counters: CallCounters; cipher: Pick<FieldCipher, 'hash'> },
): TokenLimits {
  const admitted: AdmittedCall = { succeeded: () => Promise.resolve(), didNotCount: () => Promise.resolve() }
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
      tellLimit(reply, policy, count)
      if (count.total > policy.quota) throw overLimit(policy, count)
      if (clientId === undefined) return admitted

      const client = keyOf('client', clientId)
      // Counted first and taken back on success: of calls at the same moment no more get through than may fail.
      await countFailure(address, reply)
      if ((await knownAddresses.read(here)).total === 0) {
        await countFailure(client, reply).catch(async (error: unknown) => {
          await failures.add(address, -1)
          throw error
        })
      } else await failures.add(client, 1)
      const didNotCount = async () => {
        await Promise.all([failures.add(address, -1), failures.add(client, -1)])
      }
      return {
        didNotCount,
        async succeeded() {
          await didNotCount()
          const tokens = await calls.add(client, 1)
          if (tokens.total >= count.total) tellLimit(reply, policy, tokens)
          if (tokens.total > policy.quota) throw overLimit(policy, tokens)
          if ((await knownAddresses.read(here)).total === 0) await knownAddresses.add(here, 1)
        },
      }
    },
  }

  /** Of one length, whatever a client id is. Keyed: nobody who sees a store finds an address by trying them all. */
  function keyOf(...parts: readonly string[]): string {
    return cipher.hash(JSON.stringify(parts))
  }

  async function countFailure(key: string, reply: FastifyReply): Promise<void> {
    const count: Count = await failures.add(key, 1)
    if (count.total <= failurePolicy.quota) return
    tellLimit(reply, failurePolicy, count)
    throw overLimit(failurePolicy, count)
  }
}
