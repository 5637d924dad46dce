import { addDays, type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import { comparableEmail } from '../../platform/kernel/email.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/**
 * What shows that a tenancy ends. A landlord's notice does not: a tenancy goes on until its tenants leave or a court's
 * order is carried out.
 */
export const endEvidences = ['tenants_notice', 'surrender_signed', 'order_executed'] as const
export type EndEvidence = (typeof endEvidences)[number]

export const endAnswers = ['leaves', 'stays', 'other_day'] as const
export type EndAnswer = (typeof endAnswers)[number]

/** What became of a question. `withdrawn`: whoever said that the tenancy ends took it back or named another day. */
export const questionOutcomes = ['ended', 'continues', 'asked_operator', 'withdrawn'] as const
export type QuestionOutcome = (typeof questionOutcomes)[number]

/** Who can say that the tenancy of a household ends. */
export const endSources = ['tenant', 'partner', 'operator'] as const
export type EndSource = (typeof endSources)[number]

/** Somebody's word that the tenancy of a household ends on a day. */
export interface EndStatement {
  source: EndSource | 'supplier'
  /** Who said so; null unless a tenant did. */
  tenantId: Id<'tenant'> | null
  lastDay: IsoDate
  /** Null for a tenant and a supplier, and for a partner or the operator who named none. */
  evidence: EndEvidence | null
  /** Of a tenant: their e-mail address, and what tells their browser from others; null if nothing does. */
  email?: string
  browser?: string | null
}

/** A question to a tenant whether their tenancy ends. */
export interface EndQuestion {
  customerId: Id<'tenant'>
  lastDay: IsoDate
  /** Whether the household's tenancy was said to end. Otherwise the partner said so of this tenant alone. */
  isHousehold: boolean
  answer: EndAnswer | null
  otherDay: IsoDate | null
  /** The last day of an answer that counts without the operator. */
  closesOn: IsoDate
}

/** How long a household has to answer at least, and a tenant about whom the partner alone said so, from the e-mail. */
const answerDays = { household: 14, person: 7 }
/** After how many days who has not answered is asked again. */
export const askAgainDays = 7
/** How long nothing is collected while the operator asks who did not answer. */
export const holdDays = 30
/** For how many days after the stated day the home's next occupier, of whom a supplier told, can begin. */
const nextOccupierDays = 31

/** The last day on which an answer counts: the stated day, and never too soon after the first e-mail. */
export function lastDayToAnswer(lastDay: IsoDate, askedOn: IsoDate, isHousehold: boolean): IsoDate {
  return laterOf(lastDay, addDays(askedOn, answerDays[isHousehold ? 'household' : 'person']))
}

/** What is known of a household when a question closes. */
export interface KnownOfHousehold {
  /** What others said, and the silent tenant too: their own words never count against them. */
  statements: readonly EndStatement[]
  /** Whether one tenant's notice ends the tenancy for all: only in a joint assured tenancy in England. */
  isJointAssuredInEngland: boolean
  /** Whether the e-mail that asked was sent, to somebody who is still known. */
  wasReached: boolean
  /** Whether the tenant has paid for a time after the stated day. */
  hasPaidForLater: boolean
}

/** What becomes of the contract of a tenant who was asked. */
export type EndDecision =
  | { outcome: 'ended'; lastDay: IsoDate }
  | { outcome: Extract<QuestionOutcome, 'continues' | 'asked_operator'> }

/**
 * Decides a question: by its answer at once, otherwise when it closes. Silence ends a contract if the partner's word was
 * about this tenant alone or, in a joint assured tenancy in England, if two sources that do not depend on each other
 * named this day. Otherwise the contract goes on, and the operator asks.
 */
export function decideQuestion(question: EndQuestion, known: KnownOfHousehold): EndDecision {
  const { answer, otherDay, lastDay, isHousehold, closesOn, customerId } = question
  if (answer === 'stays') return { outcome: 'continues' }
  if (answer === 'leaves') return { outcome: 'ended', lastDay }
  if (answer === 'other_day' && otherDay !== null) return { outcome: 'ended', lastDay: otherDay }
  if (!known.wasReached) return { outcome: 'asked_operator' }
  // Nobody can say no before it closes any more, so the time until then is not dated back.
  if (!isHousehold) return { outcome: 'ended', lastDay: closesOn }
  const mayEnd = known.isJointAssuredInEngland && !known.hasPaidForLater
  const others = known.statements.filter((each) => each.tenantId !== customerId && each.lastDay === lastDay)
  return mayEnd && independentSources(others) >= 2 ? { outcome: 'ended', lastDay } : { outcome: 'asked_operator' }
}

/**
 * How many sources that do not depend on each other these statements come from. Tenants who share a mailbox or a browser
 * are one. So are the partner and the operator, who have the same papers, and who count only with evidence.
 */
export function independentSources(statements: readonly EndStatement[]): number {
  const office = statements.some(
    ({ source, evidence }) => (source === 'partner' || source === 'operator') && evidence !== null,
  )
  const supplier = statements.some(({ source }) => source === 'supplier')
  return Number(office) + Number(supplier) + separateTenants(statements.filter(({ source }) => source === 'tenant'))
}

/**
 * The supplier's word that the tenancy ended on the stated day: it has somebody else as the occupier from soon after it.
 */
export function wordOfSupplier(lastDay: IsoDate, newOccupierFrom: readonly (IsoDate | null)[]): EndStatement[] {
  const isNext = (day: IsoDate | null) => day !== null && day > lastDay && day <= addDays(lastDay, nextOccupierDays)
  return newOccupierFrom.some(isNext) ? [{ source: 'supplier', tenantId: null, lastDay, evidence: null }] : []
}

/** How many groups of tenants there are between which nothing is shared. */
function separateTenants(statements: readonly EndStatement[]): number {
  const groups: Set<string>[] = []
  for (const { tenantId, email = '', browser = null } of statements) {
    const marks = new Set([`tenant ${tenantId}`, `mailbox ${mailboxOf(email)}`, ...(browser === null ? [] : [browser])])
    const shared = groups.filter((group) => [...marks].some((mark) => group.has(mark)))
    for (const group of shared) {
      for (const mark of group) marks.add(mark)
      groups.splice(groups.indexOf(group), 1)
    }
    groups.push(marks)
  }
  return groups.length
}

/** The mailbox that an address belongs to: many services deliver `sam+bills@…`, and Google `s.am@…`, to `sam@…`. */
function mailboxOf(email: string): string {
  const [, local = '', domain = ''] = /^(.*)@([^@]*)$/u.exec(comparableEmail(email)) ?? []
  const plain = local.replace(/\+.*$/u, '')
  const isGoogle = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGoogle ? `${plain.replaceAll('.', '')}@gmail.com` : `${plain}@${domain}`
}
