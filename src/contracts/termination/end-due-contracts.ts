import { recordEvent } from '../../events/record-event.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction, type Tx } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { handleAll } from '../../platform/jobs/handle-all.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { daysBetween, londonDate } from '../../platform/kernel/dates.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import type { Contract } from '../contract.ts'
import {
  type DueContract,
  findContract,
  listDueContracts,
  recordEndingNotices,
  updateContracts,
} from '../contracts.store.ts'
import { queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import { textFor } from '../terms/conditional-text.ts'
import { findTermsVersion } from '../terms/terms-versions.store.ts'

export interface EndingDependencies extends TenantMailDependencies {
  databases: Databases
  clock: Clock
}

const origin: Origin = { actor: 'worker', operation: 'endDueContracts' }

/** How many days before its last day a contract is announced to end. */
const noticeDays = [45, 30] as const

/**
 * Ends contracts whose last day is over, and announces those that end soon to the partner and the tenant, each in a
 * transaction of its own. A contract that fails keeps none of the others waiting: the first failure is thrown after
 * all. Reads `batch` contracts at a time.
 */
export async function endDueContracts(
  deps: EndingDependencies,
  { batch, isStopping }: { batch: number; isStopping(): boolean },
): Promise<void> {
  const { databases, cipher, clock } = deps
  await handleAll<DueContract>({
    listAfter: (after) => listDueContracts(databases.system, { now: clock.now(), noticeDays, after, limit: batch }),
    handle: ({ contractNumber, partnerId, quoteId, clockOffsetSeconds }) =>
      inTransaction(databases.forPartner(partnerId, origin), {}, async (tx) => {
        const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
        const contract = await findContract(tx, partnerId, contractNumber)
        if (quote === undefined || contract === undefined || contract.status !== 'in_force') return
        await endOrAnnounce(tx, deps, { quote, contract }, new Date(clock.now().getTime() + clockOffsetSeconds * 1000))
      }),
    ...{ batch, isStopping },
  })
}

async function endOrAnnounce(
  tx: Tx,
  deps: TenantMailDependencies,
  { quote, contract }: { quote: Quote; contract: Contract },
  now: Date,
): Promise<void> {
  const { partnerId, quoteId, customerId, contractNumber } = contract
  const about = { customerId, quoteId, contractNumber }
  const endsOn = lastDayOf(contract)
  const daysLeft = daysBetween(londonDate(now), endsOn)
  if (daysLeft < 0) {
    const reason = contract.endReason ?? 'term_over'
    const status = 'ended'
    const contractNumbers = [contractNumber]
    await recordContractChange(tx, { partnerId, contractNumbers, change: status }, (recorded) =>
      updateContracts(tx, recorded, partnerId, contractNumbers, { status, now, endedOn: endsOn, endReason: reason }),
    )
    const data = { ...about, previousStatus: 'in_force', status, reason } as const
    await recordEvent(tx, { partnerId }, { type: 'customer.contract.changed', data })
    return
  }
  const notices = noticeDays.filter((days) => daysLeft <= days).length
  await recordEndingNotices(tx, partnerId, contractNumber, notices)
  const data = { ...about, endsOn, reason: contract.endReason, confirmationWanted: false }
  await recordEvent(tx, { partnerId }, { type: 'customer.contract.ending', data })
  // Who ended their contract early was sent a receipt with its last day.
  if (contract.endReason === null) await tellOfEnd(tx, deps, { quote, contract }, now)
}

/** Tells the tenant that their contract ends as agreed, and what they can do. */
async function tellOfEnd(
  tx: Tx,
  deps: TenantMailDependencies,
  { quote, contract }: { quote: Quote; contract: Contract },
  now: Date,
): Promise<void> {
  const { partnerId, customerId, contractNumber, acceptance } = contract
  const tenant = quote.tenants.find(({ tenantId }) => tenantId === customerId)
  const terms = acceptance === null ? undefined : await findTermsVersion(tx, acceptance.termsVersion)
  const price = contract.price ?? quote.price
  if (tenant === undefined || price === null) return
  // The contract's price has the tenant's own share only, but the words can depend on the household.
  const household = { price: { ...price, shares: quote.price?.shares ?? price.shares } }
  const atTheEnd = terms === undefined ? [] : textFor(household, terms.words.atTheEnd)
  const facts = { contractNumber, lastDay: lastDayOf(contract), atTheEnd }
  await queueMails(tx, deps, { partnerId, now }, quote, [
    { kind: 'contract_ending', customerId, personal: tenant.personal, contractNumber, facts },
  ])
}

const batch = 50

/** Every minute, ends contracts whose last day is over and announces those that end soon. */
export function dueContractsJob(deps: EndingDependencies): ScheduledJob {
  return {
    name: 'end-contracts',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) => endDueContracts(deps, { batch, isStopping: () => signal.aborted }),
  }
}
