import type Stripe from 'stripe'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import type { CollectionPage, CollectionQuery, PaymentNotice } from '../payment-processor.ts'
import { type GetTimeoutOptions, paymentProcessorName } from './processor-calls.ts'
import { hasSenselessTime, readStripeEvent } from './stripe-notice.ts'
import { paymentEventTypes } from './stripe-payment.ts'

/** The largest page size that the processor allows. */
const pageLength = 100

/**
 * A page of the processor's event list (https://docs.stripe.com/api/events/list), which goes back 30 days, newest
 * first. Throws
 * `UpstreamFailure` for a page with an unreadable event, because an event that is skipped would be lost.
 */
export async function listCollections(
  stripe: Stripe,
  { since, until, olderThan }: CollectionQuery,
  within: GetTimeoutOptions,
): Promise<CollectionPage> {
  const page = await stripe.events.list(
    {
      types: paymentEventTypes,
      limit: pageLength,
      ...(since === null && until === undefined ? {} : { created: rangeOf(since, until) }),
      ...(olderThan === undefined ? {} : { starting_after: olderThan }),
    },
    within(),
  )
  if (!Array.isArray(page.data)) throw unreadable('is not an array')
  const notices = page.data.flatMap((event): PaymentNotice[] => {
    const notice = readStripeEvent(event)
    if (notice === undefined || !Number.isFinite(event.created))
      throw unreadable('contains an item that is not an event')
    return notice.kind === 'collection' || notice.kind === 'reversal' ? [notice] : []
  })
  const newest = page.data.find((event) => !hasSenselessTime(event))
  return {
    notices,
    newestAt: newest === undefined ? undefined : new Date(newest.created * 1000),
    olderThan: page.has_more ? page.data.at(-1)?.id : undefined,
  }
}

function rangeOf(since: Date | null, until: Date | undefined): { gte?: number; lt?: number } {
  return {
    ...(since === null ? {} : { gte: Math.floor(since.getTime() / 1000) }),
    ...(until === undefined ? {} : { lt: Math.floor(until.getTime() / 1000) }),
  }
}

function unreadable(what: string): UpstreamFailure {
  return new UpstreamFailure(paymentProcessorName, 'wrong-shape', `returned a list of events that ${what}`)
}
