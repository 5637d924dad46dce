import Type, { type Static } from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { matchCursor, pageFields, wrongCursor } from '../../platform/http/schemas/page.ts'
import {
  Count,
  DateOnly,
  Id,
  Pence,
  Text,
  Timestamp,
  timestamp,
  WholeNumber,
} from '../../platform/http/schemas/values.ts'
import { isIsoDate } from '../../platform/kernel/dates.ts'
import { isId } from '../../platform/kernel/ids.ts'
import type { CommissionTotal, EntryPosition } from './commission-entries.store.ts'
import { commissionEntryKinds, maxQueries, type StatementLine } from './commission-entry.ts'
import { isMonth, type Month } from './commission-month.ts'
import {
  type CommissionTerms,
  type CommissionTier,
  commissionKinds,
  commissionLimits,
  kindOf,
} from './commission-terms.ts'

const BasisPoints = WholeNumber({
  minimum: 0,
  maximum: commissionLimits.basisPoints,
  description: 'A share of the value of the contract without VAT, in hundredths of a percent: 250 is 2.5 %.',
})
const Amount = WholeNumber({
  minimum: 0,
  maximum: commissionLimits.amount,
  description:
    "Pence for each contract. It is for the household's whole term: whoever takes over a share later earns the part that is left.",
})
const UpTo = WholeNumber({
  minimum: 1,
  maximum: commissionLimits.upTo,
  description: 'The last contract of a calendar month to which the rate applies, counted from 1.',
})

const TermNumber = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  format: 'int64',
  description: 'The number of the terms. Of two with the same first day, the higher one applies.',
})

const GivenTier = RequestObject('GivenCommissionTier', 'A rate: either `basisPoints` or `amount`.', {
  upTo: Type.Optional(UpTo),
  basisPoints: Type.Optional(BasisPoints),
  amount: Type.Optional(Amount),
})

export const AddTermsRequest = RequestObject('AddCommissionTermsRequest', 'The terms.', {
  firstDay: DateOnly('They apply to contracts that take effect on this day or later, until the next terms begin.'),
  tiers: Type.Array(GivenTier, {
    minItems: 1,
    maxItems: commissionLimits.tiers,
    description:
      'One rate for every contract or, if the rate depends on how many a partner earns in a calendar month, several. Every one except the last has `upTo`. Each contract has the rate of its own tier.',
  }),
})

export function tiersOf({ tiers }: Static<typeof AddTermsRequest>): CommissionTier[] {
  return tiers.map(({ upTo = null, basisPoints = null, amount = null }) => ({ upTo, basisPoints, amount }))
}

const Tier = ResponseObject('CommissionTier', 'A rate.', {
  upTo: Nullable(UpTo),
  basisPoints: Nullable(BasisPoints),
  amount: Nullable(Amount),
})

export const CommissionTermsObject = ResponseObject('CommissionTerms', 'What a partner earns for contracts.', {
  termNumber: TermNumber,
  firstDay: DateOnly('They apply to contracts that take effect on this day or later, until the next terms begin.'),
  kind: Choice(
    commissionKinds,
    '`fixed`: an amount for each contract. `share`: a share of its value. `tiers`: depends on how many contracts were earned in the month.',
  ),
  tiers: Type.Array(Tier, {
    minItems: 1,
    maxItems: commissionLimits.tiers,
    description: 'The rates; one unless there are tiers.',
  }),
  recordedAt: Timestamp('When they were added.'),
})

export const CommissionTermsList = ResponseObject('CommissionTermsList', "A partner's terms, by their first day.", {
  data: Type.Array(CommissionTermsObject, { maxItems: 100_000, description: 'The terms.' }),
})

export function presentTerms(terms: CommissionTerms): Static<typeof CommissionTermsObject> {
  const { termNumber, firstDay, tiers, recordedAt } = terms
  return { termNumber, firstDay, kind: kindOf(tiers), tiers: [...tiers], recordedAt: timestamp(recordedAt) }
}

/** A calendar month in a request. */
export const MonthText = (description: string) =>
  Type.String({ pattern: '^(19|20|21)\\d\\d-(0[1-9]|1[0-2])$', maxLength: 7, description: `${description} YYYY-MM.` })

/** The month of a validated parameter. */
export function requireMonth(text: string): Month {
  if (!isMonth(text)) throw new Error('a month passed validation that is none')
  return text
}

const sums = {
  earnings: Count('How many contracts were earned for.'),
  clawbacks: Count('How many entries take something back, clawbacks and reductions.'),
  earned: Pence('What was earned, in pence.'),
  clawedBack: SignedPence('What was taken back, in pence: zero or negative.'),
  total: SignedPence('Their sum, in pence. Negative if more was taken back than earned.'),
  openQueries: Count('How many queries the operator has not answered. They keep no month open.'),
  closedAt: Nullable(Timestamp('When the month was closed; null while its figures can still grow.')),
  paidOn: Nullable(
    DateOnly('The day on which the operator paid the months closed with this one; null if it did not say.'),
  ),
}

const CommissionTotalObject = ResponseObject('CommissionTotal', 'What a partner is owed for a month.', {
  partnerId: Id('The id of the partner.'),
  partnerName: Text(200, 'The name of the partner.'),
  month: MonthText('The month.'),
  ...sums,
})

export function presentTotal({ closedAt, ...total }: CommissionTotal): Static<typeof CommissionTotalObject> {
  return { ...total, closedAt: closedAt === null ? null : timestamp(closedAt) }
}

/** The most entries of a page. */
export const maxCommissionPage = 500

/** How long a query and its answer can be, in characters. */
export const maxQueryLength = 500
const maxAnswerLength = 2_000

const CommissionQueryObject = ResponseObject('CommissionQuery', 'What was asked about a line.', {
  queryId: Id('The id of the query.'),
  text: Text(maxQueryLength, 'What the partner asked.'),
  askedAt: Timestamp('When it was asked.'),
  answer: Nullable(Text(maxAnswerLength, 'What the operator answered; null while there is no answer.')),
  answeredAt: Nullable(Timestamp('When it was answered; null while there is no answer.')),
})

export const QueryRequest = RequestObject('QueryCommissionLineRequest', 'The query.', {
  text: Type.String({
    minLength: 1,
    maxLength: maxQueryLength,
    description: 'What is wrong with the line. Name no tenant. Stored encrypted.',
  }),
})
export const AnswerRequest = RequestObject('AnswerCommissionQueryRequest', 'The answer.', {
  answer: Type.String({
    minLength: 1,
    maxLength: maxAnswerLength,
    description: 'What you answer. The partner reads it on the statement, and it stays as it is. Stored encrypted.',
  }),
})

const lineFields = {
  lineId: Id('The id of the line.'),
  month: MonthText('The month of the statement: that of `countsOn` or, if that was closed, the first open one.'),
  countsOn: DateOnly(
    'The day it counts for: the first after the right to cancel, the last day of a contract that ended early, or the day on which a price was reduced.',
  ),
  kind: Choice(
    commissionEntryKinds,
    '`earned`: for a contract. `clawback`: taken back of it, because the contract ended early or was cancelled. `reduction`: taken back of it, because its price was reduced.',
  ),
  contractNumber: ContractNumber,
  quoteId: Id('The id of the quote.'),
  branch: Nullable(
    Text(100, 'The branch that sold the contract, as the partner named it when the contract earned; null for none.'),
  ),
  soldBy: Nullable(Text(80, 'Who sold the contract, as the partner said when it earned; null if it did not.')),
  termNumber: TermNumber,
  numberInMonth: Nullable(
    Count(
      'The number of the contract among those that the partner earned in the month of `countsOn`, from 1; null unless it is an earning.',
    ),
  ),
  valueNet: Pence('The value of the contract without VAT, in pence.'),
  basisPoints: Nullable(BasisPoints),
  fixedAmount: Nullable(Amount),
  termDays: Count('The days of the contract as it was agreed.'),
  householdDays: Count(
    "The days of the household's whole term, which is longer than that of a tenant who took over a share later.",
  ),
  unsuppliedDays: Count('The days of the contract that were not supplied; 0 unless it is a clawback.'),
  refundEntryId: Nullable(Id('The refund by which the price was reduced; null unless it is a reduction.')),
  amount: SignedPence('What was earned, or what was taken back as a negative number, in pence.'),
  queries: Type.Array(CommissionQueryObject, {
    maxItems: maxQueries,
    description: 'What the partner asked about the line, the first first.',
  }),
}
const line = "A line of a partner's statement. Only its queries change."
export const StatementLineObject = ResponseObject('CommissionLine', line, lineFields)
export const CommissionEntryObject = ResponseObject('CommissionEntry', line, {
  partnerId: Id('The id of the partner.'),
  ...lineFields,
})

export const StatementObject = ResponseObject('CommissionStatement', 'What you are owed for a month.', {
  month: MonthText('The month.'),
  ...sums,
  ...pageFields(StatementLineObject, { max: maxCommissionPage, description: 'A page of the lines, by day.' }),
})

export const CommissionReportObject = ResponseObject('CommissionReport', "The partners' statements of a month.", {
  month: MonthText('The month.'),
  totals: Type.Array(CommissionTotalObject, {
    maxItems: 100_000,
    description: 'What each partner is owed, with all entries of the month, whatever the page.',
  }),
  ...pageFields(CommissionEntryObject, {
    max: maxCommissionPage,
    description: 'A page of the entries, by partner and day.',
  }),
})

export function presentLine({ partnerId: _, queries, ...entry }: StatementLine): Static<typeof StatementLineObject> {
  const instant = (at: Date | null) => (at === null ? null : timestamp(at))
  const shown = queries.map(({ queryId, text, askedAt, answer, answeredAt }) => ({
    ...{ queryId, text, askedAt: timestamp(askedAt), answer, answeredAt: instant(answeredAt) },
  }))
  return { ...entry, queries: shown }
}

export function presentEntry(entry: StatementLine): Static<typeof CommissionEntryObject> {
  return { partnerId: entry.partnerId, ...presentLine(entry) }
}

const cursorPattern =
  /^(partner_[0-9a-z]{26})\.(\d{4}-\d{2}-\d{2})\.([\d-]{1,40})\.(earned|clawback|reduction)\.((?:entry_[0-9a-z]{26})?)$/

/** The position after an entry, as a cursor says it before it is encoded. */
export function cursorOf({ partnerId, countsOn, contractNumber, kind, refundEntryId }: EntryPosition): string {
  return `${partnerId}.${countsOn}.${contractNumber}.${kind}.${refundEntryId ?? ''}`
}

/** The position that a cursor names. Throws `validation_failed` for any other text. */
export function positionOf(cursor: string): EntryPosition {
  const [, partnerId = '', countsOn = '', contractNumber = '', name, refund = ''] = matchCursor(cursor, cursorPattern)
  const kind = commissionEntryKinds.find((each) => each === name)
  if (!isId('partner', partnerId) || !isIsoDate(countsOn) || kind === undefined) throw wrongCursor('cursor')
  return { partnerId, countsOn, contractNumber, kind, refundEntryId: isId('entry', refund) ? refund : null }
}

export const ClosedMonthObject = ResponseObject('ClosedCommissionMonth', 'A month that is closed.', {
  partnerId: Id('The id of the partner.'),
  month: MonthText('The month.'),
  paidOn: Nullable(DateOnly('The day on which you paid; null if you did not say.')),
})

function SignedPence(description: string) {
  return Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    format: 'int64',
    description,
  })
}
