import type { Caller } from '../../partners/caller.ts'
import { holdCollecting, liftHold } from '../../payments/collecting/holds.store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { isJointAssuredInEngland } from '../../quoting/quotes/tenancy.ts'
import type { Contract, PublicCause } from '../contract.ts'
import { type MailToTenant, queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import { endDateNotAllowed } from '../termination/end-for-cause.ts'
import {
  closeQuestion,
  listEndReports,
  listQuestions,
  openQuestion,
  type StoredQuestion,
} from './household-end.store.ts'
import { holdDays, lastDayToAnswer } from './household-end.ts'

/** What tenants are asked. */
export interface Asking {
  lastDay: IsoDate
  reason: PublicCause
  /** False if the partner said so of one tenant alone. */
  isHousehold: boolean
}

type At = Pick<Caller, 'partnerId' | 'now'>

/**
 * The contracts whose tenants are still to be asked about a day: those that would go on after it. Nobody is asked two
 * things at once, or the same again.
 */
export function contractsToAsk(
  contracts: readonly Contract[],
  questions: readonly StoredQuestion[],
  lastDay: IsoDate,
): Contract[] {
  const isAnother = ({ outcome, lastDay: day }: StoredQuestion) =>
    outcome === null || (day === lastDay && outcome !== 'withdrawn')
  return contracts.filter(
    (contract) =>
      lastDayOf(contract) > lastDay &&
      !questions.some((each) => each.contractNumber === contract.contractNumber && isAnother(each)),
  )
}

/**
 * Asks tenants by e-mail whether their tenancy ends. From now until 30 days after their time to answer is over, nothing
 * that falls due after the stated day is collected from them. The caller holds the quote's row lock.
 */
export async function askTenants(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: At,
  quote: Quote,
  contracts: readonly Contract[],
  asking: Asking,
): Promise<void> {
  const { partnerId, now } = caller
  const { lastDay, isHousehold } = asking
  const closesOn = lastDayToAnswer(lastDay, londonDate(now), isHousehold)
  for (const { contractNumber, customerId, quoteId } of contracts) {
    await openQuestion(tx, partnerId, { ...asking, contractNumber, quoteId, askedAt: now, closesOn })
    await holdWhileAsked(tx, caller, { customerId, lastDay, closesOn })
  }
  const mails = contracts.map(({ contractNumber, customerId }) =>
    questionMail(quote, { contractNumber, customerId, lastDay, isHousehold, closesOn }, { isAgain: false }),
  )
  await queueMails(tx, deps, caller, quote, mails)
}

/** Holds what falls due after the stated day, until 30 days after the time to answer. */
export function holdWhileAsked(
  tx: Tx,
  { partnerId, now }: At,
  { customerId, lastDay, closesOn }: Pick<StoredQuestion, 'customerId' | 'lastDay' | 'closesOn'>,
): Promise<void> {
  const hold = { cause: 'tenancy_end', dueAfter: lastDay, until: addDays(closesOn, holdDays) } as const
  return holdCollecting(tx, { partnerId, customerId }, { ...hold, now })
}

/**
 * Asks one tenant, of whom the partner says that their tenancy ends. A question that is open stays if it is about the
 * household or this day; one about another day is withdrawn. The caller holds the quote's row lock. Returns the last day
 * of an answer. Throws `end_date_not_allowed` if the tenant was asked about this day before.
 */
export async function askAboutOne(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: At,
  { quote, contract }: { quote: Quote; contract: Contract },
  { dryRun, ...asked }: Omit<Asking, 'isHousehold'> & { dryRun: boolean },
): Promise<IsoDate> {
  const { lastDay } = asked
  const questions = await questionsAbout(tx, contract)
  const open = questions.find(({ outcome }) => outcome === null)
  if (open !== undefined && (open.isHousehold || open.lastDay === lastDay)) return open.closesOn
  if (questions.some((each) => each.lastDay === lastDay && each.outcome !== 'withdrawn'))
    throw endDateNotAllowed('The tenant was asked about this day before. Ask the operator.')
  if (!dryRun) {
    if (open !== undefined)
      await closeUnanswered(tx, deps, caller, quote, open, { outcome: 'withdrawn', isTold: false })
    await askTenants(tx, deps, caller, quote, [contract], { ...asked, isHousehold: false })
  }
  return lastDayToAnswer(lastDay, londonDate(caller.now), false)
}

/**
 * Withdraws what one tenant is asked because of the partner's word. With `dryRun`, only looks. The caller holds the
 * quote's row lock. Returns whether they are asked.
 */
export async function withdrawAboutOne(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: At,
  { quote, contract }: { quote: Quote; contract: Contract },
  { dryRun }: { dryRun: boolean },
): Promise<boolean> {
  const open = (await questionsAbout(tx, contract)).find(({ outcome, isHousehold }) => outcome === null && !isHousehold)
  if (open !== undefined && !dryRun) await closeUnanswered(tx, deps, caller, quote, open, { outcome: 'withdrawn' })
  return open !== undefined
}

async function questionsAbout(tx: Tx, contract: Contract): Promise<StoredQuestion[]> {
  const questions = await listQuestions(tx, contract)
  return questions.filter(({ contractNumber }) => contractNumber === contract.contractNumber)
}

/** The e-mail that asks a tenant. */
export function questionMail(
  quote: Quote,
  question: Pick<StoredQuestion, 'contractNumber' | 'customerId' | 'lastDay' | 'isHousehold' | 'closesOn'>,
  { isAgain }: { isAgain: boolean },
): MailToTenant {
  const { contractNumber, customerId, lastDay, isHousehold, closesOn } = question
  const endsForAll = isHousehold && isJointAssuredInEngland(quote)
  const facts = { lastDay, closesOn, isHousehold, endsForAll, isAgain }
  return { kind: 'tenancy_end_question', customerId, contractNumber, personal: personalOf(quote, question), facts }
}

function personalOf({ tenants }: Quote, { customerId }: Pick<StoredQuestion, 'customerId'>) {
  const tenant = tenants.find(({ tenantId }) => tenantId === customerId)
  if (tenant === undefined) throw new Error('a contract in force has no tenant')
  return tenant.personal
}

/**
 * Closes a question without an answer, and tells the tenant what it means for them unless their contract ends, of which
 * they get a receipt. The caller holds the quote's row lock.
 */
export async function closeUnanswered(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: At,
  quote: Quote,
  question: StoredQuestion,
  { outcome, isTold = true }: { outcome: 'ended' | 'asked_operator' | 'withdrawn'; isTold?: boolean },
): Promise<void> {
  const { partnerId, now } = caller
  const { contractNumber, customerId, lastDay, closesOn } = question
  await closeQuestion(tx, { partnerId, contractNumber, lastDay }, { outcome, now })
  if (outcome !== 'asked_operator') await liftHold(tx, { partnerId, customerId }, { cause: 'tenancy_end', now })
  if (outcome === 'ended' || !isTold) return
  const facts = { lastDay, heldUntil: outcome === 'withdrawn' ? null : addDays(closesOn, holdDays) }
  const personal = personalOf(quote, question)
  await queueMails(tx, deps, caller, quote, [
    { kind: 'tenancy_end_outcome', customerId, contractNumber, personal, facts },
  ])
}

/**
 * Withdraws the questions about days that nobody names any more, neither in a report nor in an answer. Tenants who are
 * asked about `newDay` instead are told by that question. The caller holds the quote's row lock.
 */
export async function withdrawUnsaid(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: At,
  quote: Quote,
  newDay: IsoDate | null,
): Promise<void> {
  const [reports, questions] = [await listEndReports(tx, quote), await listQuestions(tx, quote)]
  const said = new Set([
    ...reports.map(({ lastDay }) => lastDay),
    ...questions.filter(({ answer }) => answer === 'leaves').map(({ lastDay }) => lastDay),
  ])
  const isWaiting = ({ outcome, answer }: StoredQuestion) =>
    answer === null && (outcome === null || outcome === 'asked_operator')
  for (const question of questions)
    if (question.isHousehold && isWaiting(question) && !said.has(question.lastDay))
      await closeUnanswered(tx, deps, caller, quote, question, { outcome: 'withdrawn', isTold: newDay === null })
}
