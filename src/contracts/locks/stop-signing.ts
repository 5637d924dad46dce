import type { Caller } from '../../partners/caller.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction, type Tx } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { handleAll } from '../../platform/jobs/handle-all.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { isExpired, type Quote, unlocked } from '../../quoting/quotes/quote.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { type RenewDependencies, renewExpiredQuote } from '../../quoting/quotes/renew-expired-quote.ts'
import { saveQuote } from '../../quoting/quotes/save-quote.ts'
import { isSigningStopped } from '../../quoting/rates/life/rate-card-life.store.ts'
import { listContractsOfQuote } from '../contracts.store.ts'
import { endCardSetUps, storeEndedLock } from '../load-quote-for-update.ts'
import { queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import { listWhoWereInvited } from '../mails/tenant-mails.store.ts'
import { type HouseholdOnCard, listQuotesToStop } from './locks.store.ts'

type StopDependencies = RenewDependencies & TenantMailDependencies & { databases: Databases; clock: Clock }

const origin: Origin = { actor: 'worker', operation: 'stopSigning' }
const batch = 500
/** A run ends after so many batches, and the next one goes on: a job that runs for long counts as late. */
const batchesPerRun = 10

/**
 * Every minute, ends the offers on the prices of cards on which nobody is to sign any more: each quote that nobody has
 * signed, in a transaction of its own, so that it goes on where it was stopped. It also finds those that come to be on
 * offer later, such as when a household that had signed in part is reopened.
 */
export function stopSigningJob(deps: StopDependencies): ScheduledJob {
  return {
    name: 'stop-signing',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) => {
      let batches = 0
      return handleAll<HouseholdOnCard>({
        listAfter: (after) => {
          batches += 1
          return listQuotesToStop(deps.databases.system, { now: deps.clock.now(), after: after?.quoteId, limit: batch })
        },
        handle: (due) =>
          inTransaction(deps.databases.forPartner(due.partnerId, origin), {}, (tx) => endOffer(tx, deps, due)),
        ...{ batch, isStopping: () => signal.aborted || batches > batchesPerRun },
      })
    },
  }
}

/**
 * Ends the offer of a quote unless somebody has signed: it is open, expired, and priced anew on the card of today. If
 * that is not possible, it stays expired until it is. Tenants who were invited are told.
 */
async function endOffer(
  tx: Tx,
  deps: StopDependencies,
  { partnerId, quoteId, clockOffsetSeconds }: HouseholdOnCard,
): Promise<void> {
  const found = await findQuoteForUpdate(tx, deps.cipher, partnerId, quoteId)
  if (found === undefined) return
  const owner = { partnerId, now: new Date(deps.clock.now().getTime() + clockOffsetSeconds * 1000) }
  const quote = await storeEndedLock(tx, owner, found)
  if (!(await mustEnd(tx, owner, quote))) return
  await endCardSetUps(tx, quote, owner.now)
  const reason = quote.stage === 'active' ? 'price_withdrawn' : null
  const expired = { ...unlocked(quote), expiresAt: owner.now }
  const isPriced =
    quote.price !== null &&
    (await renewExpiredQuote(tx, deps, owner, expired, londonDate(owner.now), { before: quote, reason }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DomainError) return false
        throw error
      },
    ))
  if (!isPriced) await saveQuote(tx, owner, quote, expired, reason)
  await tellTenants(tx, deps, owner, quote)
}

/** Whether the quote, as it is under the lock, can be agreed to on a stopped card, and nobody has agreed. */
async function mustEnd(tx: Tx, { now }: Pick<Caller, 'now'>, quote: Quote): Promise<boolean> {
  if (quote.stage !== 'active' && (quote.stage !== 'open' || isExpired(quote, now))) return false
  if (!(await isSigningStopped(tx, quote.quotingToolVersionId))) return false
  return (await listContractsOfQuote(tx, quote, 'agreed')).length === 0
}

async function tellTenants(
  tx: Tx,
  deps: StopDependencies,
  owner: Pick<Caller, 'now' | 'partnerId'>,
  quote: Quote,
): Promise<void> {
  const known = quote.tenants.filter((tenant) => !tenant.isErased)
  const ids = known.map(({ tenantId }) => tenantId)
  const invited = new Set(await listWhoWereInvited(tx, owner.partnerId, ids))
  const mails = known
    .filter(({ tenantId }) => quote.price !== null && invited.has(tenantId))
    .map(({ tenantId, personal }) => ({ kind: 'price_withdrawn', customerId: tenantId, personal, facts: {} }) as const)
  await queueMails(tx, deps, owner, quote, mails)
}
