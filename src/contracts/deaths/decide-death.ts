import type { Caller } from '../../partners/caller.ts'
import { holdCollecting, liftHold } from '../../payments/collecting/holds.store.ts'
import { cancelEntries, listPaymentEntries } from '../../payments/ledger/payment-entries.store.ts'
import { isUncollected } from '../../payments/ledger/payment-entry.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noPence } from '../../platform/kernel/money.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { recordCannotLead, setReminders } from '../../quoting/tenants/customers.store.ts'
import { endOnboardingLinksOf, revokeLinksOf } from '../../quoting/tenants/link-revisions.store.ts'
import { isBinding } from '../contract.ts'
import { findContract } from '../contracts.store.ts'
import { loadCustomerWithQuoteForUpdate } from '../load-quote-of-customer.ts'
import { queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import { kindsThat, tenantMailKindNames } from '../mails/tenant-mail-kinds.ts'
import { endPendingMails } from '../mails/tenant-mails.store.ts'
import { printable } from '../printable.ts'
import { cancelUnderLock } from '../termination/cancel-under-lock.ts'
import { type ContractToEnd, dateNotice } from '../termination/contract-to-end.ts'
import { endEarly } from '../termination/end-early.ts'
import { paidFor } from '../termination/settle-contract.ts'
import { type DeathOutcome, decideDeathReports, listDeathReports } from './deaths.store.ts'

/** What the operator decided. `lastDay` is the contract's last day; absent, the reported day of death. */
export interface DeathDecision {
  outcome: DeathOutcome
  lastDay?: IsoDate | undefined
}

/**
 * POST /operator-api/Customers/{customerId}/decide-death. Lifted: held e-mails are sent, and what fell due meanwhile is
 * taken ten days later without a late fee. Confirmed: the contract ends on the day without any fee or set-up, nothing
 * is ever taken from or paid back to the card, links, sessions and reminders end, and the household learns the day.
 * Throws `no_death_reported`, `validation_failed` and `not_found`.
 */
export async function decideDeath(
  deps: TenantMailDependencies & { db: Database; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
  { outcome, lastDay: chosen }: DeathDecision,
): Promise<{ customerId: Id<'tenant'>; outcome: DeathOutcome; lastDay: IsoDate | null }> {
  const { partnerId, now } = caller
  return inTransaction(deps.db, caller, async (tx) => {
    const { quote, customer } = await loadCustomerWithQuoteForUpdate(tx, deps.cipher, caller, customerId)
    const about = { partnerId, customerId }
    const open = (await listDeathReports(tx, deps.cipher, about)).filter((each) => each.outcome === null)
    if (open.length === 0)
      throw new DomainError('no_death_reported', 'Nothing is open about this customer. First report it: report-death.')
    const contract =
      customer.contractNumber === null ? undefined : await findContract(tx, partnerId, customer.contractNumber)
    const ending = contract === undefined || !isBinding(contract) ? undefined : { quote, customer, contract }
    const reported = open.map(({ diedOn }) => diedOn).find((day) => day !== null)
    let lastDay: IsoDate | null = null
    if (outcome === 'lifted') await liftHold(tx, about, { cause: 'death', now })
    else {
      // What was reported while nothing was held: nothing is taken from now on.
      if (!open.some(({ isHeld }) => isHeld))
        await holdCollecting(tx, about, { cause: 'death', dueAfter: null, until: null, now })
      if (ending !== undefined) lastDay = await endForDeath(tx, deps, caller, ending, chosen ?? reported)
      await endPendingMails(tx, caller, customerId, kindsToEnd)
      await setReminders(tx, about, false)
      await recordCannotLead(tx, about, now)
      await endOnboardingLinksOf(tx, about)
      await revokeLinksOf(tx, partnerId, customerId)
      if (lastDay !== null) await tellHousehold(tx, deps, caller, quote, { customerId, lastDay })
    }
    await decideDeathReports(tx, about, { outcome, now })
    return { customerId, outcome, lastDay }
  })
}

/** A confirmation of a contract is never dropped: the operator sends it to the estate. */
const kindsToEnd = tenantMailKindNames.filter((kind) => !kindsThat('confirmsContract').includes(kind))

/**
 * Ends the contract without a fee, set-up or late fee, on this day or when it ends anyway. Returns the last day; null
 * for a contract that never took effect, which is withdrawn.
 */
async function endForDeath(
  tx: Tx,
  deps: TenantMailDependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  ending: ContractToEnd,
  day: IsoDate | undefined,
): Promise<IsoDate | null> {
  const { contract } = ending
  const { partnerId, contractNumber } = contract
  if (contract.status === 'agreed') {
    const notice = dateNotice({}, contract, caller.now)
    await cancelUnderLock(tx, deps, caller, ending, { dryRun: false, notice })
    return null
  }
  if (day === undefined) {
    const detail = 'No day of death was reported. Send the last day of the contract.'
    throw invalidFields([{ pointer: '/lastDay', code: 'required', detail }])
  }
  const fees = (await listPaymentEntries(tx, contract)).filter(
    (entry) => entry.contractNumber === contractNumber && entry.kind === 'fee' && isUncollected(entry),
  )
  await cancelEntries(
    tx,
    partnerId,
    fees.map(({ entryId }) => entryId),
  )
  const today = londonDate(caller.now)
  const lastDay = earlierOf(day, lastDayOf(contract))
  await endEarly(tx, deps, caller, ending, {
    ...{ lastDay, owesSetUp: false, fee: noPence, reason: 'notice' },
    notice: { comment: 'death', sentOn: today, informedOn: today },
    paid: await paidFor(tx, contract, londonDate(caller.now)),
  })
  return lastDay
}

/** Tells the others whose contracts go on that their shares stay, and not why the contract ends. */
async function tellHousehold(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Caller,
  quote: Quote,
  { customerId, lastDay }: { customerId: Id<'tenant'>; lastDay: IsoDate },
): Promise<void> {
  const whose = quote.tenants.find(({ tenantId }) => tenantId === customerId)?.personal.firstName ?? ''
  const others = quote.tenants.filter(
    ({ tenantId, contractStatus }) => tenantId !== customerId && contractStatus === 'in_force',
  )
  const mails = others.map(
    ({ tenantId, personal }) =>
      ({ kind: 'share_ended', customerId: tenantId, personal, facts: { whose: printable(whose), lastDay } }) as const,
  )
  await queueMails(tx, deps, caller, quote, mails)
}
