import type { Static } from 'typebox'
import {
  queryCommissionLineRoute,
  readCommissionStatementRoute,
} from '../../back-office/commission/commission.route.ts'
import { maxCommissionPage, maxQueryLength } from '../../back-office/commission/commission.schema.ts'
import { readSalesRoute } from '../../back-office/reports/funnel.route.ts'
import { barChart } from '../../pages/chart.ts'
import { selectField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf, keyField } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { csvLink, csvOfList, dataTable, descriptionList, filterBar, pagingLinks, timeline } from '../../pages/lists.ts'
import { addDays, addMonths, isoDate, londonDate, weekday } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { dayInWords, momentInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import type { AgencyPage, AgencyVisit } from './agency-visit.ts'
import { sellers } from './households.page.ts'

type Week = Static<(typeof readSalesRoute)['reply']>['data'][number]
type Statement = Static<(typeof readCommissionStatementRoute)['reply']>
type Line = Statement['data'][number]

const stages = {
  quoted: 'Quoted',
  invited: 'Invited',
  opened: 'Opened',
  signed: 'Signed',
  inForce: 'In force',
  ended: 'Ended',
} as const
const periods = ['4', '13', '26', '52']
const kinds: Readonly<Record<Line['kind'], string>> = {
  earned: 'Earned',
  clawback: 'Taken back: it ended early',
  reduction: 'Taken back: the price was reduced',
}
/** How many months back the list of statements goes. */
const shownMonths = 24
const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const monthInWords = (month: string) => monthFormat.format(new Date(`${month}-01`))
const pounds = (amount: number) => formatPounds(pence(amount))

/** What somebody who is no admin sees: what they sold themselves. */
const ownOnly = ({ scopes, person }: AgencyVisit) => (scopes.includes('people:manage') ? undefined : person.personId)

function monthsOf({ now, query }: AgencyVisit): { months: string[]; month: string } {
  const today = londonDate(now)
  const months = Array.from({ length: shownMonths }, (_, back) => addMonths(today, -back).slice(0, 7))
  return { months, month: months.find((each) => each === query.get('month')) ?? today.slice(0, 7) }
}

/** What was sold, how far quotes got, and what was earned, with a form to query a line of the statement. */
export const figuresPage: AgencyPage = {
  name: 'figures',
  may: 'quotes:read',
  menu: 'Figures',
  problems: { '/text': { field: 'text' } },
  async show(visit, form) {
    const { call, query, path, now } = visit
    const { months, month } = monthsOf(visit)
    if (query.has('line')) return lineOf(visit, month, form)
    const soldBy = ownOnly(visit)
    const branch = query.get('branch')?.trim() || undefined
    const weeks = periods.find((each) => each === query.get('weeks')) ?? '13'
    const today = londonDate(now)
    const from = addDays(today, 1 - weekday(today) - 7 * (Number(weeks) - 1))
    const { data: sales } = await call(readSalesRoute, { query: { from, to: today, branch, soldBy } })
    const statement = (cursor: string | undefined, limit: number) =>
      call(readCommissionStatementRoute, { query: { month, branch, soldBy, cursor, limit } })
    const csv =
      query.get('of') === 'commission'
        ? await csvOfList({ query, path }, 'figures', (cursor) => statement(cursor, maxCommissionPage), csvLineOf)
        : await csvOfList(
            { query, path },
            'figures',
            async () => ({ data: sales, nextCursor: null }),
            (week) => week,
          )
    if (csv !== undefined) return csv

    const earned = await statement(query.get('cursor') ?? undefined, 100)
    const seller = await sellers(
      visit,
      earned.data.map((line) => line.soldBy),
    )
    const bar = filterBar({ query }, (filter) => [
      selectField(filter, {
        ...{ name: 'weeks', label: 'Sold in the last', value: weeks },
        options: periods.map((value) => ({ value, label: `${value} weeks` })),
      }),
      selectField(filter, {
        ...{ name: 'month', label: 'Commission of', value: month },
        options: months.map((value) => ({ value, label: monthInWords(value) })),
      }),
      textField(filter, { name: 'branch', label: 'Branch', maxLength: 100 }),
    ])
    const total = (name: Exclude<keyof Week, 'week' | 'branch'>) => sales.reduce((sum, each) => sum + each[name], 0)
    const reached = Object.entries(stages).map(([name, label]) => ({
      label,
      value: total(name as keyof typeof stages),
    }))
    const summary = `How far the households quoted in the last ${weeks} weeks have got`
    const figures = (name: Exclude<keyof Week, 'week' | 'branch'>, heading: string) => ({
      ...{ heading, holds: 'figures' as const },
      cell: (week: Week) => week[name].toLocaleString('en-GB'),
    })
    const withOf = (of: string) => ({ query: new URLSearchParams([...query, ['of', of]]) })
    const body = html`<h1>Figures</h1>
<p>${soldBy === undefined ? 'What everybody sold.' : 'What you sold. An admin sees what everybody sold.'}</p>${bar}
<h2>${summary}</h2>${barChart(summary, reached)}
${dataTable(
  {
    caption: 'The same in figures',
    columns: [
      { heading: 'Stage', cell: ({ label }: (typeof reached)[number]) => label },
      { heading: 'Households', cell: ({ value }) => value.toLocaleString('en-GB'), holds: 'figures' },
    ],
  },
  reached,
)}
<h2>Sold by week and branch</h2>
${dataTable<Week>(
  {
    caption: 'Weeks with something, latest first',
    empty: 'Nothing was quoted or sold in these weeks.',
    columns: [
      { heading: 'Week from', cell: ({ week }) => dayInWords(isoDate(week)) },
      { heading: 'Branch', cell: (week) => week.branch ?? 'None' },
      figures('quoted', 'Quoted'),
      figures('households', 'Households sold'),
      figures('contracts', 'Contracts sold'),
    ],
  },
  sales.toReversed(),
)}${sales.length > 0 && csvLink(withOf('sold'))}
<h2>Commission of ${monthInWords(month)}</h2>${descriptionList(sumsOf(earned))}
${dataTable<Line>(
  {
    caption: 'The statement, line by line',
    empty: 'There is nothing on this statement. A contract earns once the right to cancel it has ended.',
    columns: [
      {
        heading: 'Contract',
        cell: ({ lineId, contractNumber }) => html`<a href="${linkTo(month, lineId)}">${contractNumber}</a>`,
      },
      { heading: 'Day', cell: ({ countsOn }) => dayInWords(isoDate(countsOn)) },
      { heading: 'What', cell: ({ kind }) => kinds[kind] },
      { heading: 'Branch', cell: (line) => line.branch ?? 'None' },
      { heading: 'Sold by', cell: (line) => seller(line.soldBy) },
      { heading: 'Query', cell: queryInWords },
      { heading: 'Amount', cell: ({ amount }) => pounds(amount), holds: 'figures' },
    ],
  },
  earned.data,
)}${pagingLinks({ query }, earned.nextCursor)}${earned.data.length > 0 && csvLink(withOf('commission'))}`
    return { title: 'Figures', body, isWide: true }
  },
  async submit(visit, form) {
    const [text, { month }] = [form.text('text'), monthsOf(visit)]
    if (text === '') throw new FormRejected([{ field: 'text', text: 'Write what is wrong with the line.' }])
    const { lineId } = await findLine(visit, month)
    await visit.call(queryCommissionLineRoute, { id: lineId, body: { text }, key: form.text('key') })
    return { goTo: `${visit.path('figures')}${linkTo(month, lineId)}`, notice: 'commission_queried' }
  },
}

export const figuresNotices = { commission_queried: 'Your query is sent. The answer will be here.' }

const linkTo = (month: string, line: string) => `?${new URLSearchParams({ month, line }).toString()}`

function queryInWords({ queries }: Line): string {
  const last = queries.at(-1)
  if (last === undefined) return 'None'
  return last.answer === null ? 'Waits for an answer' : 'Answered'
}

function sumsOf({ earned, clawedBack, total, openQueries, closedAt, paidOn }: Statement) {
  const state =
    closedAt === null
      ? 'Open: the figures can still change'
      : `Closed on ${momentInWords(new Date(closedAt))}: the figures stay as they are`
  return [
    ['Earned', pounds(earned)],
    ['Taken back', pounds(clawedBack)],
    ['In all', pounds(total)],
    ['Statement', state],
    ['Paid', paidOn === null ? 'The operator has not said so yet' : `On ${dayInWords(isoDate(paidOn))}`],
    ['Queries without an answer', openQueries.toLocaleString('en-GB')],
  ]
}

function csvLineOf({ queries, ...line }: Line) {
  const { text = '', answer = '' } = queries.at(-1) ?? {}
  return { ...line, query: text, answer }
}

/** The line that the address names, if it is on the month's statement and the reader sees it. Throws `not_found`. */
async function findLine(visit: AgencyVisit, month: string): Promise<Line> {
  let cursor: string | undefined
  do {
    const query = { month, soldBy: ownOnly(visit), cursor, limit: maxCommissionPage }
    const { data, nextCursor } = await visit.call(readCommissionStatementRoute, { query })
    const line = data.find(({ lineId }) => lineId === visit.query.get('line'))
    if (line !== undefined) return line
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
  throw new DomainError('not_found', 'There is no such line on this statement.')
}

/** A line with what was asked about it, and the form that asks. */
async function lineOf(visit: AgencyVisit, month: string, form: Form): Promise<Shown> {
  const line = await findLine(visit, month)
  const title = `Contract ${line.contractNumber}`
  const rate = line.basisPoints === null ? 'A fixed amount' : `${line.basisPoints / 100} % of the value without VAT`
  const entries = line.queries.flatMap(({ text, askedAt, answer, answeredAt }) => [
    { at: momentInWords(new Date(askedAt)), what: html`<p>You asked: ${text}</p>` },
    ...(answeredAt === null
      ? []
      : [{ at: momentInWords(new Date(answeredAt)), what: html`<p>The operator answered: ${answer}</p>` }]),
  ])
  const hint = `At most ${maxQueryLength} characters. Name no tenant.`
  const label = 'What is wrong with this line?'
  const ask = html`${keyField(form)}${textField(form, { name: 'text', label, hint, maxLength: maxQueryLength })}`
  const may = !visit.scopes.includes('quotes:write')
    ? html`<p>Your role reads only, so you cannot ask about this line. Ask an admin or an agent to.</p>`
    : line.queries.at(-1)?.answer === null
      ? html`<p>You can ask again once the operator has answered.</p>`
      : formOf(visit.session.formToken, ask, 'Ask the operator')
  const body = html`<h1>${title}</h1>
${descriptionList([
  ['What', kinds[line.kind]],
  ['Day', dayInWords(isoDate(line.countsOn))],
  ['Amount', pounds(line.amount)],
  ['Rate', rate],
  ['Value without VAT', pounds(line.valueNet)],
  ['Branch', line.branch ?? 'None'],
])}${timeline(entries)}${may}`
  return { title, back: `${visit.path('figures')}?${new URLSearchParams({ month }).toString()}`, body }
}
