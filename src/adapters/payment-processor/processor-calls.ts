import type { LookupFunction } from 'node:net'
import type Stripe from 'stripe'
import type { UpstreamCounters } from '../outbound-http/counters.ts'
import { createGuardedCalls, type UpstreamLog } from '../outbound-http/guarded-calls.ts'
import { defaultLimits, type UpstreamLimits } from '../outbound-http/limits.ts'
import { createPooledExchange } from '../outbound-http/pooled-exchange.ts'
import { createStripeClient, type StripeConnection, startLimit, type WithinLimit } from './stripe-client.ts'
import { asProcessorFailure, readProcessorFailure } from './stripe-failures.ts'

/** Stands in messages and metrics. */
export const paymentProcessorName = 'payment-processor'

export interface ProcessorCallsOptions extends StripeConnection {
  /** Of these the ones about connections, how many calls, size and the breaker count: other times and repetition are the client's. */
  limits?: Partial<UpstreamLimits> | undefined
  /** How the host's name becomes an address; the system's own way unless told. */
  lookup?: LookupFunction | undefined
  log?: UpstreamLog | undefined
}

/** One call, which may take several requests of the client's. */
interface ProcessorCall {
  /** What it does, in a message. */
  what: string
  /** Whose customer or intent it is about. */
  subject?: string | undefined
  /** The caller's own limit, where several calls share their time. */
  signal?: AbortSignal | undefined
}

/** The official client, with every call guarded, counted and told of like those to any other outside system. */
export interface ProcessorCalls {
  stripe: Stripe
  /**
   * What `work` gives, each of its requests made with the options `within` gives. Throws what the port promises, and an
   * Error inside a database transaction.
   */
  make<Result>(call: ProcessorCall, work: (within: WithinLimit) => Promise<Result>): Promise<Result>
  counters(): UpstreamCounters
  /** Closes the connections, and tells the operator what has not been told yet. */
  close(): Promise<void>
}

/** A page of a hundred events is the largest answer asked for. */
const longestAnswerBytes = 4 * 1024 * 1024

export function createProcessorCalls({ log, lookup, ...connection }: ProcessorCallsOptions): ProcessorCalls {
  const { name, timeoutMs } = connection
  const limits = { ...defaultLimits, maxBytes: longestAnswerBytes, ...connection.limits, deadlineMs: timeoutMs }
  const calls = createGuardedCalls(name, limits, log)
  const exchange = createPooledExchange(name, limits, lookup)
  const stripe = createStripeClient(connection, exchange, calls.countTry)

  async function make<Result>(
    { what, subject, signal }: ProcessorCall,
    work: (within: WithinLimit) => Promise<Result>,
  ): Promise<Result> {
    const within = startLimit(connection)
    try {
      // The client repeats by itself: it knows what its idempotency keys allow.
      const outcome = await calls.run({ what, repeatable: false, subject, signal }, () => judged(name, work(within)))
      if ('error' in outcome) throw outcome.error
      return outcome.result
    } catch (error) {
      throw asProcessorFailure(error)
    }
  }

  async function close(): Promise<void> {
    await exchange.close()
    calls.end()
  }

  return { stripe, make, counters: calls.counters, close }
}

/** Throws where the processor failed. An error that is its rightful answer, or ours, is no evidence against it. */
async function judged<Result>(name: string, work: Promise<Result>): Promise<{ result: Result } | { error: unknown }> {
  try {
    return { result: await work }
  } catch (error) {
    const failure = readProcessorFailure(name, error)
    if (failure === undefined) return { error }
    throw failure
  }
}
