import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { cursorAfter, pageQuery } from '../../platform/http/schemas/page.ts'
import { DateOnly, GivenId, Name } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { SoldBy } from '../../quoting/quotes/quote.schema.ts'
import { ExportFormatName, fileResponse } from '../export-files/file-response.ts'
import { findCommissionOwner, findQueryOwner } from '../http/find-owner.ts'
import { operatorFile, operatorRoute, partnerRoute } from '../http/operator-route.ts'
import { addCommissionTerms } from './add-terms.ts'
import { closeCommissionMonth } from './close-month.ts'
import {
  AddTermsRequest,
  AnswerRequest,
  ClosedMonthObject,
  CommissionEntryObject,
  CommissionReportObject,
  CommissionTermsList,
  CommissionTermsObject,
  cursorOf,
  MonthText,
  maxCommissionPage,
  positionOf,
  presentEntry,
  presentLine,
  presentTerms,
  presentTotal,
  QueryRequest,
  requireMonth,
  StatementLineObject,
  StatementObject,
  tiersOf,
} from './commission.schema.ts'
import {
  answerCommissionQuery,
  listCommissionTerms,
  queryCommissionLine,
  readCommissionQuery,
  readStatements,
  statementColumns,
  statementPages,
} from './commission-statement.ts'

const common = {
  tag: 'Partners',
  path: '/Partners/{partnerId}/commission-terms',
  idDescription: 'The id of the partner',
} as const

export const listCommissionTermsRoute = partnerRoute({
  ...common,
  operationId: 'listCommissionTerms',
  summary: "List a partner's commission terms",
  description: 'Returns all terms by their first day, also those that later ones with the same first day replaced.',
  scope: 'partners:read',
  reply: CommissionTermsList,
  owner: (deps, parameter) => findCommissionOwner(deps, parameter('partnerId')),
  handle: listCommissionTerms,
  present: (terms) => ({ data: terms.map(presentTerms) }),
})

export const addCommissionTermsRoute = partnerRoute({
  method: 'POST',
  ...common,
  operationId: 'addCommissionTerms',
  summary: "Add to a partner's commission terms",
  description:
    'Terms never change. Those with a later first day apply from that day on, and those with the same first day replace each other. Terms that could change a contract that has earned, or a closed month, are rejected.',
  scope: 'partners:write',
  body: AddTermsRequest,
  reply: CommissionTermsObject,
  errors: ['validation_failed', 'commission_terms_not_allowed'],
  owner: (deps, parameter) => findCommissionOwner(deps, parameter('partnerId')),
  handle: (deps, caller, { body }) =>
    addCommissionTerms(deps, caller, { firstDay: isoDate(body.firstDay), tiers: tiersOf(body) }),
  present: presentTerms,
})

const report = { tag: 'Reports', scope: 'partners:read', errors: ['validation_failed'] as const } as const
const selection = {
  month: MonthText('The month of the statements.'),
  partnerId: Type.Optional(GivenId('Only the statement of this partner.')),
}

export const readCommissionRoute = operatorRoute({
  ...report,
  operationId: 'readCommission',
  path: '/Reports/commission',
  summary: 'Read the commission of a month',
  description:
    "Returns the partners' statements of a month: what each partner is owed, and the entries that add up to it. An entry says what a contract has earned, or what was taken back because it ended early.",
  query: Type.Object(
    {
      ...selection,
      ...pageQuery({
        items: 'entries',
        max: maxCommissionPage,
        standard: 100,
        repeat: ' Send the same month with it.',
      }),
    },
    { additionalProperties: false },
  ),
  reply: CommissionReportObject,
  handle: async (deps, _caller, { query: { month, partnerId, limit = 100, cursor } }) => {
    const after = cursor === undefined ? undefined : positionOf(cursor)
    const filter = { month: requireMonth(month), partnerId }
    return { month, ...(await readStatements(deps, filter, { after, limit })) }
  },
  present: ({ month, totals, entries, hasMore }) => ({
    month,
    totals: totals.map(presentTotal),
    data: entries.map(presentEntry),
    nextCursor: cursorAfter(entries, hasMore, cursorOf),
  }),
})

export const exportCommissionRoute = operatorFile({
  ...report,
  operationId: 'exportCommission',
  path: '/Reports/commission/export',
  summary: 'Export the commission of a month',
  description: "Returns all entries on the partners' statements of a month as a file, with one line for each.",
  replyHeaders: {},
  query: Type.Object(
    {
      ...selection,
      format: ExportFormatName,
    },
    { additionalProperties: false },
  ),
  streams: async (deps, { query: { month, partnerId, format = 'csv' } }) =>
    fileResponse(statementPages(deps, { month: requireMonth(month), partnerId }), {
      columns: statementColumns,
      format,
    }),
})

export const closeCommissionMonthRoute = partnerRoute({
  method: 'POST',
  tag: 'Reports',
  operationId: 'closeCommissionMonth',
  path: '/Reports/commission/{partnerId}/close',
  summary: 'Close a month of commission',
  description:
    "Closes a partner's month, and every month before it, for ever: what is found out later is on the statement of the first open month. Close a month before you pay for it. Repeating the call is harmless.",
  idDescription: 'The id of the partner',
  scope: 'partners:write',
  body: RequestObject('CloseCommissionMonthRequest', 'The month.', {
    month: MonthText('The month to close.'),
    paidOn: Type.Optional(
      DateOnly('The day on which you paid. Send it with a repeated call once you have: the statement shows it.'),
    ),
  }),
  reply: ClosedMonthObject,
  errors: ['validation_failed', 'commission_month_open'],
  owner: (deps, parameter) => findCommissionOwner(deps, parameter('partnerId')),
  handle: (deps, caller, { body }) =>
    closeCommissionMonth(deps, caller, {
      month: requireMonth(body.month),
      paidOn: body.paidOn === undefined ? undefined : isoDate(body.paidOn),
    }),
  present: (closed) => closed,
})

const aboutQuery = { tag: 'Reports', idDescription: 'The id of the query', reply: CommissionEntryObject } as const

export const readCommissionQueryRoute = partnerRoute({
  ...aboutQuery,
  operationId: 'readCommissionQuery',
  path: '/Reports/commission/queries/{queryId}',
  summary: 'Read what a partner asks about its commission',
  description: 'Returns the line of the statement with everything that the partner asked about it.',
  scope: 'partners:read',
  owner: (deps, parameter) => findQueryOwner(deps, parameter('queryId')),
  handle: (deps, caller, { parameter }) => readCommissionQuery(deps, caller, parameter('queryId')),
  present: presentEntry,
})

export const answerCommissionQueryRoute = partnerRoute({
  ...aboutQuery,
  method: 'POST',
  operationId: 'answerCommissionQuery',
  path: '/Reports/commission/queries/{queryId}/answer',
  summary: 'Answer what a partner asks about its commission',
  description:
    'The partner reads the answer on the statement, and may ask again. A line never changes: what was wrong is corrected by further lines, on the statement of an open month.',
  scope: 'partners:write',
  body: AnswerRequest,
  errors: ['validation_failed'],
  owner: (deps, parameter) => findQueryOwner(deps, parameter('queryId')),
  handle: (deps, caller, { parameter, body }) => answerCommissionQuery(deps, caller, parameter('queryId'), body.answer),
  present: presentEntry,
})

export const readCommissionStatementRoute = route({
  operationId: 'readCommissionStatement',
  method: 'GET',
  path: '/Reports/commission',
  tag: 'Reports',
  summary: 'Read your commission of a month',
  description:
    'Returns your statement of a month, line by line: what each contract earned, and what was taken back. The sums are of all lines that match, whatever the page. The operator pays what a closed month says.',
  scope: 'quotes:read',
  query: Type.Object(
    {
      month: MonthText('The month of the statement.'),
      branch: Type.Optional(Name('Only what this branch sold.')),
      soldBy: Type.Optional(SoldBy('Only what this person sold, as you sent `soldBy`.')),
      ...pageQuery({ items: 'lines', max: maxCommissionPage, standard: 100, repeat: ' Send the same filter with it.' }),
    },
    { additionalProperties: false },
  ),
  reply: StatementObject,
  errors: ['validation_failed'],
  handle: async (deps, { caller: { partnerId }, query: { month, branch, soldBy, limit = 100, cursor } }) => {
    const after = cursor === undefined ? undefined : positionOf(cursor)
    return readStatements(deps, { month: requireMonth(month), partnerId, branch, soldBy }, { after, limit })
  },
  present: ({ totals: [total], entries, hasMore }) => {
    if (total === undefined) throw new Error('a partner has no statement')
    const { partnerId: _, partnerName: __, ...sums } = presentTotal(total)
    return { ...sums, data: entries.map(presentLine), nextCursor: cursorAfter(entries, hasMore, cursorOf) }
  },
})

export const queryCommissionLineRoute = route({
  operationId: 'queryCommissionLine',
  method: 'POST',
  path: '/Reports/commission/{id}/queries',
  tag: 'Reports',
  summary: 'Query a line of your commission',
  description:
    'Asks the operator about a line, whose answer you read on the statement. A line has one open query at a time.',
  idDescription: 'lineId',
  scope: 'quotes:write',
  body: QueryRequest,
  reply: StatementLineObject,
  errors: ['validation_failed'],
  handle: (deps, { caller, id, body }) => queryCommissionLine(deps, caller, id, body.text),
  present: presentLine,
})
