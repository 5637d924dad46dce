import type { Caller } from '../../partners/caller.ts'
import { liftHold } from '../../payments/collecting/holds.store.ts'
import { inTransaction, type Queryable } from '../../platform/db/database.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Contract } from '../contract.ts'
import type { EndedContract, EndingOptions } from '../termination/cancel-under-lock.ts'
import { loadContractToEnd } from '../termination/contract-to-end.ts'
import { endForTenancy } from '../termination/end-for-cause.ts'
import { keepOn } from '../termination/keep-on.ts'
import { withdrawUnsaid } from './ask-tenants.ts'
import type { HouseholdEndDependencies } from './end-household.ts'
import { forgetBrowsers, listQuestions, recordAnswer, type StoredQuestion } from './household-end.store.ts'
import { type EndAnswer, holdDays } from './household-end.ts'

/** A tenant's answer. */
export interface Answered {
  answer: EndAnswer
  /** The last day of their tenancy, if they say that it is another one. */
  otherDay: IsoDate | null
  /** What tells the tenant's browser from others; null for what the operator writes down for them. */
  browserHash: string | null
}

/** Who answers: the tenant, or the operator for them. */
interface Answering {
  now: Date
  isOwnAnswer: boolean
}

/**
 * Whether a question can be answered: while it is open or the operator asks, and to change one's mind until the stated
 * day is over. A tenant's own word dates an end back only as long as nothing is collected; then the operator knows more.
 */
function canAnswer(question: StoredQuestion, { status }: Contract, { now, isOwnAnswer }: Answering): boolean {
  const { outcome, lastDay, closesOn } = question
  if (status !== 'in_force' || outcome === 'withdrawn') return false
  const isOpen = outcome === null || (outcome === 'asked_operator' && !isOwnAnswer)
  return isOpen || londonDate(now) <= (outcome === 'asked_operator' ? addDays(closesOn, holdDays) : lastDay)
}

/** The question that can be answered now; undefined if there is none. */
export async function findQuestionTo(
  db: Queryable,
  contract: Contract,
  answering: Answering,
): Promise<StoredQuestion | undefined> {
  const questions = await listQuestions(db, contract)
  return questions.find(
    (each) => each.contractNumber === contract.contractNumber && canAnswer(each, contract, answering),
  )
}

/**
 * A tenant answers whether their tenancy ends on the stated day, or changes their answer: their contract ends then, or
 * on the other day, without a fee, or goes on. Returns how it ends; null if it goes on. With `dryRun`,
 * changes nothing. Throws `nothing_asked`, `contract_not_in_force`, `end_date_not_allowed` and `validation_failed`.
 */
export function answerQuestion(
  deps: HouseholdEndDependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
  { answer, otherDay, browserHash, ...options }: Answered & EndingOptions,
): Promise<{ customerId: Id<'tenant'>; ended: EndedContract | null }> {
  return inTransaction(deps.db, caller, async (tx) => {
    const { now, partnerId } = caller
    const ending = await loadContractToEnd(tx, deps.cipher, caller, customerId)
    const isOwnAnswer = browserHash !== null
    const question = await findQuestionTo(tx, ending.contract, { now, isOwnAnswer })
    if (question === undefined) throw nothingAsked()
    const lastDay = answer === 'other_day' ? requireOtherDay(otherDay, ending.contract, now) : question.lastDay
    // An end that the tenant set by answering before is no longer what they say.
    const setBefore = question.answer === 'other_day' ? question.otherDay : question.lastDay
    const hasEnd = question.outcome === 'ended' && ending.contract.endedOn === setBefore
    const ended =
      answer === 'stays'
        ? null
        : await endForTenancy(tx, deps, caller, ending, {
            ...{ lastDay, cause: question.reason, setBy: 'tenant', ...options },
          })
    if (!options.dryRun) {
      if (answer === 'stays' && hasEnd) await keepOn(tx, deps, caller, ending, { dryRun: false })
      const outcome = answer === 'stays' ? 'continues' : 'ended'
      const other = answer === 'other_day' ? lastDay : null
      const answered = { answer, otherDay: other, browserHash, isOwnAnswer, outcome, now } as const
      await recordAnswer(tx, { ...question, partnerId }, answered)
      await liftHold(tx, { partnerId, customerId }, { cause: 'tenancy_end', now })
      if (answer === 'stays') await withdrawUnsaid(tx, deps, caller, ending.quote, null)
      await forgetBrowsers(tx, { partnerId, quoteId: question.quoteId })
    }
    return { customerId, ended }
  })
}

function nothingAsked(): DomainError {
  return new DomainError(
    'nothing_asked',
    'Nobody asks this tenant whether their tenancy ends. To end their contract, call POST /Customers/{id}/end-contract.',
  )
}

function requireOtherDay(otherDay: IsoDate | null, contract: Contract, now: Date): IsoDate {
  const today = londonDate(now)
  if (otherDay !== null && otherDay >= today && otherDay < contract.endsOn) return otherDay
  const detail = `Must be a day from ${today} to before the last day of the contract, ${contract.endsOn}.`
  throw invalidFields([{ pointer: '/otherDay', code: 'end_date_not_allowed', detail }], 'end_date_not_allowed')
}
