import { recordEvents } from '../../events/record-event.ts'
import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { chooseContractDates } from '../../quoting/quotes/contract-dates.ts'
import { type Quote, unlocked } from '../../quoting/quotes/quote.ts'
import { requireOperation, statusAfterOperation } from '../../quoting/quotes/quote-operations.ts'
import { defaultDaysAhead } from '../../quoting/quotes/quote-policy.ts'
import { priceAnew, type RenewDependencies, saveRenewed } from '../../quoting/quotes/renew-expired-quote.ts'
import { clearAcceptance } from '../../quoting/tenants/customers.store.ts'
import { loadCustomer } from '../../quoting/tenants/load-customer.ts'
import { type Contract, isBinding } from '../contract.ts'
import { listContractsOfQuote } from '../contracts.store.ts'
import { closeUnanswered } from '../household-end/ask-tenants.ts'
import { listEndReports, listQuestions, takeBackEndReport } from '../household-end/household-end.store.ts'
import { endCardSetUps, loadQuoteForUpdate } from '../load-quote-for-update.ts'
import { queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import { listLatestReports } from '../supply/service-reports.store.ts'
import type { EndedContract } from './cancel-under-lock.ts'
import { endAgreements } from './end-agreements.ts'
import { endForCause } from './end-for-cause.ts'

type MoveDependencies = RenewDependencies & TenantMailDependencies & { db: Database }

/** A household whose first day moved, or would. */
export interface MovedStart {
  before: Quote
  /** The same household on the new day, open again. */
  after: Quote
  /** How the contracts in force end. */
  ended: EndedContract[]
}

const cause = 'tenancy_did_not_start'

/**
 * POST /Quotes/{id}/move-start (not in the specification): the contracts of a household end without a fee, as of a let
 * that fell through, and the same quote is open and priced anew for another first day. Cards and personal details stay;
 * each tenant is told, and has to read and agree again. Without an end, one that was chosen stays, and twelve months
 * stay twelve months. With `dryRun`, changes nothing. Throws `start_not_movable` once supply was requested,
 * `packages_required`, `quote_cancelled` and `validation_failed` (dates).
 */
export function moveStart(
  deps: MoveDependencies,
  caller: Caller,
  quoteId: Id<'quote'>,
  to: { contractStartDate: IsoDate; contractEndDate: IsoDate | undefined; dryRun: boolean },
): Promise<MovedStart> {
  const { now } = caller
  const { dryRun } = to
  const today = londonDate(now)
  return inTransaction(deps.db, caller, async (tx) => {
    const before = await loadQuoteForUpdate(tx, deps.cipher, caller, quoteId)
    requireOperation(before, 'move-start', now)
    await requireMovable(tx, deps, before, today)
    const term = chooseTerm(before, to, { today, daysAhead: defaultDaysAhead(deps.quotePolicy) })
    const open = unlocked(before)
    const reopened: Quote = {
      ...open,
      ...statusAfterOperation(open, 'move-start'),
      startOrigin: 'partner',
      endOrigin: to.contractEndDate === undefined ? before.endOrigin : 'partner',
      // Who had signed for everybody is here still.
      householdCompleteAt: before.householdCompleteAt ?? (before.stage === 'completed' ? now : null),
      moveIn: moveInWith(before, term.contractStartDate),
    }
    const priced = await priceAnew(tx, deps, caller, reopened, { ...term, today, reason: 'dates_changed' })
    const inForce = await listContractsOfQuote(tx, before, 'in_force')
    if (!dryRun) await forgetSaidEnds(tx, deps, caller, before)
    const ended: EndedContract[] = []
    for (const contract of inForce) ended.push(await endUnbegun(tx, deps, caller, before, { contract, dryRun }))
    if (dryRun) return { before, after: priced, ended }
    await endAgreements(tx, caller, before, { status: 'superseded', reason: cause })
    await endCardSetUps(tx, before, now)
    const after = await saveRenewed(tx, caller, before, priced, cause)
    await tellTenants(tx, deps, caller, { before, after, ended })
    return { before, after, ended }
  })
}

/**
 * Throws `start_not_movable` unless everybody who signed still has a contract for the whole home, whose supply has not
 * been requested.
 */
async function requireMovable(tx: Tx, { quotePolicy }: MoveDependencies, quote: Quote, today: IsoDate): Promise<void> {
  const { tenants, contractStartDate } = quote
  const hasSigned = tenants.filter(({ status }) => status === 'OnboardingComplete')
  const isPresumed = quotePolicy.presumesSupply && quote.stage === 'completed' && contractStartDate <= today
  const problem = tenants.some(({ replaces }) => replaces !== null)
    ? 'Somebody takes over a share of this household, or did. Withdraw a replacement that is open, or create a new quote.'
    : hasSigned.some(({ contractStatus }) => contractStatus === null || !isBinding({ status: contractStatus }))
      ? 'The contract of a tenant is over, so this is not the household that signed. Create a new quote for who stays.'
      : isPresumed || Object.keys(await listLatestReports(tx, quote)).length > 0
        ? 'Supply was requested for the agreed first day. Ask the operator, or end the contracts and create a new quote.'
        : undefined
  if (problem !== undefined) throw new DomainError('start_not_movable', problem)
}

/** The new term. Throws `validation_failed` for days that are not possible, and for the first day as it is. */
function chooseTerm(
  quote: Quote,
  { contractStartDate, contractEndDate }: { contractStartDate: IsoDate; contractEndDate: IsoDate | undefined },
  rules: { today: IsoDate; daysAhead: number },
): Pick<Quote, 'contractStartDate' | 'contractEndDate'> {
  if (contractStartDate === quote.contractStartDate) {
    const detail = `The contract starts on ${contractStartDate} already. Send another day.`
    throw invalidFields([{ pointer: '/contractStartDate', code: 'not_allowed', detail }])
  }
  const chosen = quote.endOrigin === 'default' ? undefined : quote.contractEndDate
  const { start, end } = chooseContractDates({ start: contractStartDate, end: contractEndDate ?? chosen, ...rules })
  return { contractStartDate: start, contractEndDate: end }
}

/** The day of the keys moves with the first day if it is the same, and never comes after it. */
function moveInWith({ moveIn, contractStartDate }: Quote, start: IsoDate): Quote['moveIn'] {
  if (moveIn === null) return null
  return { ...moveIn, date: moveIn.date === contractStartDate ? start : earlierOf(moveIn.date, start) }
}

/** What was said about the end of the tenancy was said of the contracts that end: nobody is asked about it any more. */
async function forgetSaidEnds(tx: Tx, deps: MoveDependencies, caller: Caller, quote: Quote): Promise<void> {
  for (const report of await listEndReports(tx, quote)) await takeBackEndReport(tx, quote, report, caller.now)
  for (const question of await listQuestions(tx, quote))
    if (question.outcome === null || question.outcome === 'asked_operator')
      await closeUnanswered(tx, deps, caller, quote, question, { outcome: 'withdrawn', isTold: false })
}

/** Ends a contract in force as if it had never begun. Its customer can agree again. */
async function endUnbegun(
  tx: Tx,
  deps: MoveDependencies,
  caller: Caller,
  quote: Quote,
  { contract, dryRun }: { contract: Contract; dryRun: boolean },
): Promise<EndedContract> {
  const { customerId, quoteId, startsOn } = contract
  const today = londonDate(caller.now)
  const customer = await loadCustomer(tx, deps.cipher, caller, customerId)
  const notice = { sentOn: today, informedOn: today }
  const end = { lastDay: addDays(startsOn, -1), cause, notice, setBy: null, hasReceipt: false, dryRun } as const
  const ended = await endForCause(tx, deps, caller, { quote, customer, contract }, end)
  if (dryRun) return ended
  await clearAcceptance(tx, caller.partnerId, [customerId], caller.now)
  const { status: previousStatus } = customer
  const data = { customerId, quoteId, previousStatus, status: 'PersonalInfoComplete', reason: cause } as const
  await recordEvents(tx, caller, [{ type: 'customer.status.changed', data }])
  return ended
}

async function tellTenants(
  tx: Tx,
  deps: MoveDependencies,
  caller: Caller,
  { before, after, ended }: MovedStart,
): Promise<void> {
  const shared = { wasFirstDay: before.contractStartDate, firstDay: after.contractStartDate }
  const mails = before.tenants
    .filter((tenant) => !tenant.isErased)
    .map(({ tenantId, personal, status }) => {
      const own = ended.find(({ customerId }) => customerId === tenantId)
      const had = own && { contractNumber: own.contract.contractNumber, settlement: own.settlement }
      const facts = { ...shared, lastDay: after.contractEndDate, had, hasSigned: status === 'OnboardingComplete' }
      return { kind: 'start_moved', customerId: tenantId, personal, facts } as const
    })
  await queueMails(tx, deps, caller, after, mails)
}
