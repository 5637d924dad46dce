import type { Caller } from '../../partners/caller.ts'
import { liftHold } from '../../payments/collecting/holds.store.ts'
import { inTransaction, type Queryable } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
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
import type { EndAnswer } from './household-end.ts'

/** A tenant's answer. */
export interface Answered {
  answer: EndAnswer
  /** The last day of their tenancy, if they say that it is another one. */
  otherDay: IsoDate | null
  /** What tells the tenant's browser from others; null for what the operator writes down for them. */
  browserHash: string | null
}

/**
 * Whether a tenant can answer a question: while it is open or the operator asks, and to change their mind until the
 * stated day is over.
 */
function canAnswer({ outcome, lastDay }: StoredQuestion, contract: Contract, now: Date): boolean {
  if (contract.status !== 'in_force' || outcome === 'withdrawn') return false
  return outcome === null || outcome === 'asked_operator' || londonDate(now) <= lastDay
}

/** The question that a tenant can answer now; undefined if there is none. */
export async function findQuestionTo(
  db: Queryable,
  contract: Contract,
  now: Date,
): Promise<StoredQuestion | undefined> {
  const questions = await listQuestions(db, contract)
  return questions.find((each) => each.contractNumber === contract.contractNumber && canAnswer(each, contract, now))
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
    const question = await findQuestionTo(tx, ending.contract, now)
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
      const isOwnAnswer = browserHash !== null
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
