import Type, { type Static } from 'typebox'
import { route } from '../../platform/http/route.ts'
import { cursorAfter, matchCursor, pageQuery } from '../../platform/http/schemas/page.ts'
import { DateOnly, GivenId, Name, timestamp } from '../../platform/http/schemas/values.ts'
import { isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { SoldBy } from '../../quoting/quotes/quote.schema.ts'
import { ExportFormatName, fileResponse } from '../export-files/file-response.ts'
import { type OperatorDependencies, operatorFile, operatorRoute } from '../http/operator-route.ts'
import { defaultDays, FunnelObject, funnelColumns, maxDays, maxFunnelPage, SalesObject } from './funnel.schema.ts'
import { funnelPages, readFunnel, readSales, selectFunnel } from './read-funnel.ts'

const report = { tag: 'Reports', scope: 'partners:read', errors: ['validation_failed'] as const } as const
const asOfHeader = 'Housebill-As-Of'
const cursorPattern = /^(\d{4}-\d{2}-\d{2})\.(partner_[0-9a-z]{26})$/

const days = {
  from: Type.Optional(
    DateOnly(
      `The first day on which the quotes were created, at most ${maxDays - 1} days before \`to\`. Defaults to ${defaultDays - 1} days before it.`,
    ),
  ),
  to: Type.Optional(DateOnly('The last day on which the quotes were created. Defaults to today.')),
}
const selection = {
  ...days,
  partnerId: Type.Optional(GivenId('Only quotes of this partner.')),
}
const Selection = Type.Object(selection)

function select({ db, clock }: OperatorDependencies, { partnerId, ...period }: Static<typeof Selection>) {
  return selectFunnel({ db, today: londonDate(clock.now()) }, { ...daysOf(period), partnerId })
}

function daysOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return { from: from === undefined ? from : isoDate(from), to: to === undefined ? to : isoDate(to) }
}

function positionOf(cursor: string) {
  const [, date = '', partnerId = ''] = matchCursor(cursor, cursorPattern)
  return { date: isoDate(date), partnerId }
}

export const readFunnelRoute = operatorRoute({
  ...report,
  operationId: 'readFunnel',
  path: '/Reports/funnel',
  summary: 'Read the funnel',
  description:
    'Returns what became of the quotes of each partner and day: how many have reached each stage until now. Counted when you ask.',
  query: Type.Object(
    {
      ...selection,
      ...pageQuery({ items: 'entries', max: maxFunnelPage, standard: 100, repeat: ' Send the same days with it.' }),
    },
    { additionalProperties: false },
  ),
  reply: FunnelObject,
  handle: async (deps, _caller, { query: { limit = 100, cursor, ...query } }) => {
    const after = cursor === undefined ? undefined : positionOf(cursor)
    const selected = await select(deps, query)
    return { ...selected, ...(await readFunnel(deps, { ...selected, after, limit })) }
  },
  present: ({ asOf, from, to, days, hasMore }) => ({
    ...{ asOf: timestamp(asOf), from, to, data: days },
    nextCursor: cursorAfter(days, hasMore, ({ date, partnerId }) => `${date}.${partnerId}`),
  }),
})

export const exportFunnelRoute = operatorFile({
  ...report,
  replyHeaders: {
    [asOfHeader]: 'Everything that was written before this moment is counted.',
  },
  operationId: 'exportFunnel',
  path: '/Reports/funnel/export',
  summary: 'Export the funnel',
  description: 'Returns the whole funnel of these days as a file, with one line for each partner and day.',
  query: Type.Object(
    {
      ...selection,
      format: ExportFormatName,
    },
    { additionalProperties: false },
  ),
  streams: async (deps, { query: { format = 'csv', ...query } }) => {
    const selected = await select(deps, query)
    const headers = { [asOfHeader]: timestamp(selected.asOf) }
    return fileResponse(funnelPages(deps, selected), { columns: funnelColumns, format, headers })
  },
})

export const readSalesRoute = route({
  operationId: 'readSales',
  method: 'GET',
  path: '/Reports/sales',
  tag: 'Reports',
  summary: 'Read what you sold by week and branch',
  description:
    'Returns for each week and branch how far the quotes of the week have got until now, and what took effect in the week. Counted when you ask.',
  scope: 'quotes:read',
  query: Type.Object(
    {
      ...days,
      branch: Type.Optional(Name('Only what this branch sold.')),
      soldBy: Type.Optional(SoldBy('Only what this person sold, as you sent `soldBy`.')),
    },
    { additionalProperties: false },
  ),
  reply: SalesObject,
  errors: ['validation_failed'],
  handle: (deps, { caller, query: { branch, soldBy, ...period } }) =>
    readSales(deps, caller, { ...daysOf(period), branch, soldBy }),
  present: ({ from, to, weeks }) => ({ from, to, data: weeks }),
})
