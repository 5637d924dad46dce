import type { LookupFunction } from 'node:net'
import type Stripe from 'stripe'
import type { UpstreamCounters } from '../outbound-http/counters.ts'
import { createGuardedCalls, type UpstreamLog } from '../outbound-http/guarded-calls.ts'
import { defaultLimits, type UpstreamLimits } from '../outbound-http/limits.ts'
import { createPooledExchange } from '../outbound-http/pooled-exchange.ts'
import {
  type GetTimeoutOptions,
  prepareStripeClient,
  type StripeConnection,
  startCallTimeLimit,
} from './stripe-client.ts'
import { readProcessorFailure, translateProcessorError } from './stripe-failures.ts'

/** The name of the payment processor in messages and metrics. */
export const paymentProcessorName = 'payment-processor'

export interface ProcessorCallsOptions extends StripeConnection {
  /** Only the breaker and the limits on connections, concurrency and size apply: the Stripe client has its own timeouts and retries. */
  limits?: Partial<UpstreamLimits> | undefined
  /** Resolves the host's name; defaults to the system's resolver. */
  lookup?: LookupFunction | undefined
  log?: UpstreamLog | undefined
}

/** What one call does. */
type Work<Result> = (stripe: Stripe, within: GetTimeoutOptions) => Promise<Result>

/** One call, for which the Stripe client may send several requests. */
interface ProcessorCall {
  /** A description of the call, for messages. */
  what: string
  /** The customer or intent that the call is about. */
  subject?: string | undefined
  /** Ends the call when the caller stops waiting. Set for calls that share a time limit. */
  signal?: AbortSignal | undefined
}

/** Calls with the official Stripe client. Every call is guarded, counted and logged like calls to any other upstream. */
export interface ProcessorCalls {
  /**
   * Returns the result of `work`, which must pass the options from `within` to each request of the client. Throws the errors that the port
   * promises, and an Error if called inside a database transaction.
   */
  make<Result>(call: ProcessorCall, work: Work<Result>): Promise<Result>
  counters(): UpstreamCounters
  /** Closes the connections and logs what has not been logged yet. */
  close(): Promise<void>
}

/** Enough for the largest response that we request, a page of 100 events. */
const maxResponseBytes = 4 * 1024 * 1024

export function createProcessorCalls({ log, lookup, ...connection }: ProcessorCallsOptions): ProcessorCalls {
  const { name, timeoutMs } = connection
  const limits = { ...defaultLimits, maxBytes: maxResponseBytes, ...connection.limits, deadlineMs: timeoutMs }
  const calls = createGuardedCalls(name, limits, log)
  const exchange = createPooledExchange(name, limits, lookup)
  const openClient = prepareStripeClient(connection, exchange, calls.countAttempt)

  async function make<Result>({ what, subject, signal }: ProcessorCall, work: Work<Result>): Promise<Result> {
    const within = startCallTimeLimit(connection)
    try {
      // The Stripe client does the retries itself, because it knows what its idempotency keys allow.
      const outcome = await calls.run({ what, repeatable: false, subject, signal }, async () =>
        judged(name, work(await openClient(), within)),
      )
      if ('error' in outcome) throw outcome.error
      return outcome.result
    } catch (error) {
      throw translateProcessorError(name, error)
    }
  }

  async function close(): Promise<void> {
    await exchange.close()
    calls.end()
  }

  return { make, counters: calls.counters, close }
}

/**
 * Throws if the processor failed. Errors that are valid responses or our own mistakes are returned, because they are not failures
 * of the processor.
 */
async function judged<Result>(name: string, work: Promise<Result>): Promise<{ result: Result } | { error: unknown }> {
  try {
    return { result: await work }
  } catch (error) {
    const failure = readProcessorFailure(name, error)
    if (failure === undefined) return { error }
    throw failure
  }
}
