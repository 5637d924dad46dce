import type { Caller } from '../../partners/caller.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction, type Tx } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { handleAll } from '../../platform/jobs/handle-all.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { daysBetween, laterOf, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { isJointAssuredInEngland } from '../../quoting/quotes/tenancy.ts'
import { findContract, listContractsOfQuote } from '../contracts.store.ts'
import { queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import { listLatestReports } from '../supply/service-reports.store.ts'
import { loadContractToEnd } from '../termination/contract-to-end.ts'
import { endForTenancy } from '../termination/end-for-cause.ts'
import { closeUnanswered, holdWhileAsked, questionMail } from './ask-tenants.ts'
import {
  type DueQuestion,
  findAskedByMail,
  forgetBrowsers,
  hasPaidForLater,
  listDueQuestions,
  listEndReports,
  listQuestions,
  type StoredQuestion,
  updateQuestion,
} from './household-end.store.ts'
import { askAgainDays, decideQuestion, type EndStatement, lastDayToAnswer, wordOfSupplier } from './household-end.ts'

export interface QuestionDependencies extends TenantMailDependencies {
  databases: Databases
  clock: Clock
  bankHolidays: BankHolidays
}

const origin: Origin = { actor: 'worker', operation: 'closeTenancyEndQuestions' }

/** Every five minutes, asks tenants again and closes the questions that nobody can answer any more. */
export function tenancyEndQuestionsJob(deps: QuestionDependencies): ScheduledJob {
  return {
    name: 'close-tenancy-end-questions',
    everyMinutes: 5,
    atMinute: 2,
    run: (signal) => closeTenancyEndQuestions(deps, { batch: 50, isStopping: () => signal.aborted }),
  }
}

/**
 * Asks tenants again who have not answered whether their tenancy ends within a week, and decides for those whose time
 * to answer is over, each in a transaction of its own. Reads `batch` questions at a time. A question that fails keeps
 * none of the others waiting: the first failure is thrown after all.
 */
export async function closeTenancyEndQuestions(
  deps: QuestionDependencies,
  { batch, isStopping }: { batch: number; isStopping(): boolean },
): Promise<void> {
  const { databases, clock, cipher } = deps
  await handleAll<DueQuestion>({
    listAfter: (after) => listDueQuestions(databases.system, { now: clock.now(), after, limit: batch }),
    handle: ({ partnerId, quoteId, contractNumber, lastDay, clockOffsetSeconds }) =>
      inTransaction(databases.forPartner(partnerId, origin), {}, async (tx) => {
        const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
        if (quote === undefined) return
        const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
        const caller = { partnerId, clientId: origin.operation ?? '', requestId: '', now }
        const questions = await listQuestions(tx, quote)
        const question = questions.find(
          (each) => each.contractNumber === contractNumber && each.lastDay === lastDay && each.outcome === null,
        )
        if (question !== undefined) await askAgainOrClose(tx, deps, caller, { quote, question, questions })
      }),
    ...{ batch, isStopping },
  })
}

interface Asked {
  quote: Quote
  question: StoredQuestion
  /** All questions of the household. */
  questions: readonly StoredQuestion[]
}

async function askAgainOrClose(tx: Tx, deps: QuestionDependencies, caller: Caller, asked: Asked): Promise<void> {
  const { quote, question } = asked
  const { now, partnerId } = caller
  const today = londonDate(now)
  const ofQuestion = { ...question, partnerId }
  const askedByMail = await findAskedByMail(tx, ofQuestion, question.askedAt)
  const { lastDay, isHousehold, askedAt } = question
  // Whoever was sent the e-mail late has as long to answer as others.
  const closesOn = laterOf(question.closesOn, lastDayToAnswer(lastDay, londonDate(askedByMail ?? askedAt), isHousehold))
  if (today > closesOn) return close(tx, deps, caller, { ...asked, wasReached: askedByMail !== null })
  const isLate = question.askedAgainAt === null && daysBetween(londonDate(askedAt), today) >= askAgainDays
  await updateQuestion(tx, ofQuestion, { askedAgainAt: isLate ? now : question.askedAgainAt, closesOn })
  if (closesOn !== question.closesOn) await holdWhileAsked(tx, caller, { ...question, closesOn })
  if (isLate)
    await queueMails(tx, deps, caller, quote, [questionMail(quote, { ...question, closesOn }, { isAgain: true })])
}

async function close(
  tx: Tx,
  deps: QuestionDependencies,
  caller: Caller,
  { quote, question, questions, wasReached }: Asked & { wasReached: boolean },
): Promise<void> {
  const { partnerId } = caller
  const { contractNumber, customerId, reason } = question
  const contract = await findContract(tx, partnerId, contractNumber)
  if (contract === undefined) throw new Error('a question is about no contract')
  const decided = decideQuestion(question, {
    statements: await statementsOf(tx, quote, question, questions),
    isJointAssuredInEngland: isJointAssuredInEngland(quote),
    wasReached,
    hasPaidForLater: await hasPaidForLater(tx, { ...question, partnerId }),
  })
  // A contract that is over, or ends sooner than it would, is none to ask about.
  const isOver = contract.status !== 'in_force' || lastDayOf(contract) <= question.lastDay
  if (isOver) await closeUnanswered(tx, deps, caller, quote, question, { outcome: 'withdrawn', isTold: false })
  else if (decided.outcome === 'ended') {
    const ending = await loadContractToEnd(tx, deps.cipher, caller, customerId)
    const setBy = question.isHousehold ? {} : ({ setBy: 'partner' } as const)
    const end = { lastDay: decided.lastDay, cause: reason, isSilent: true, ...setBy, dryRun: false }
    const isEnded = await endForTenancy(tx, deps, caller, ending, end).then(
      () => true,
      (error: unknown) => {
        // What the program may not end, such as a let that fell through although supply has begun, the operator decides.
        if (error instanceof DomainError) return false
        throw error
      },
    )
    await closeUnanswered(tx, deps, caller, quote, question, { outcome: isEnded ? 'ended' : 'asked_operator' })
  } else await closeUnanswered(tx, deps, caller, quote, question, { outcome: 'asked_operator' })
  await forgetBrowsers(tx, quote)
}

/** Who names a day as the last of the household's tenancy: in a report, by their answer, and the home's supplier. */
async function statementsOf(
  tx: Tx,
  quote: Quote,
  { lastDay }: StoredQuestion,
  questions: readonly StoredQuestion[],
): Promise<EndStatement[]> {
  const emailOf = new Map(quote.tenants.map(({ tenantId, personal }) => [tenantId, personal.email]))
  const contracts = [
    // One in force counts before one of the same tenant that ended, such as before its first day was moved.
    ...(await listContractsOfQuote(tx, quote, 'ended')),
    ...(await listContractsOfQuote(tx, quote, 'in_force')),
  ]
  const lastDays = new Map(contracts.map((each) => [each.customerId, lastDayOf(each)]))
  const byTenant = (said: Pick<StoredQuestion, 'customerId' | 'lastDay' | 'browserHash'>): EndStatement[] => {
    // Nobody's word counts whose own contract goes on.
    if ((lastDays.get(said.customerId) ?? said.lastDay) > said.lastDay) return []
    const from = { email: emailOf.get(said.customerId) ?? '', browser: said.browserHash }
    return [{ source: 'tenant', tenantId: said.customerId, lastDay: said.lastDay, evidence: null, ...from }]
  }
  const reports = (await listEndReports(tx, quote)).filter(({ isTrusted }) => isTrusted)
  const services = Object.values(await listLatestReports(tx, quote))
  return [
    ...reports.flatMap(({ reportedBy, ...said }) =>
      reportedBy === null ? [{ ...said, tenantId: null }] : byTenant({ ...said, customerId: reportedBy }),
    ),
    ...questions.filter(({ answer, isOwnAnswer }) => answer === 'leaves' && isOwnAnswer).flatMap(byTenant),
    ...wordOfSupplier(
      lastDay,
      services.map((each) => each?.newOccupierFrom ?? null),
    ),
  ]
}
