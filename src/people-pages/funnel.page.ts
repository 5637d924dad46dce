import type { FunnelDay } from '../back-office/reports/funnel.schema.ts'
import { funnelPages, selectFunnel } from '../back-office/reports/read-funnel.ts'
import { barChart } from '../pages/chart.ts'
import { selectField } from '../pages/fields.ts'
import { html } from '../pages/html.ts'
import { csvLink, csvOfList, dataTable, filterBar } from '../pages/lists.ts'
import { addDays, type IsoDate, isoDate, londonDate } from '../platform/kernel/dates.ts'
import { dayInWords } from '../platform/kernel/in-words.ts'
import type { DeskVisit, PersonPage } from './person-page.ts'

const stages = { quotes: 'Quotes', priced: 'Priced', accepted: 'Accepted', inForce: 'In force' } as const
type Stage = keyof typeof stages
const stageNames = Object.keys(stages) as Stage[]
const periods = ['7', '30', '90']

const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

interface Day extends Record<Stage, number> {
  date: IsoDate
}

/** What became of the quotes of each day, of all partners together; as CSV of each partner. */
export const funnelPage: PersonPage<DeskVisit> = {
  name: 'funnel',
  may: 'partners:read',
  menu: 'Funnel',
  async show({ deps, path, query }) {
    const stage = stageNames.find((name) => name === query.get('stage')) ?? 'quotes'
    const period = periods.find((days) => days === query.get('days')) ?? '30'
    const today = londonDate(deps.clock.now())
    const days = Array.from({ length: Number(period) }, (_, index) => addDays(today, index + 1 - Number(period)))
    const selected = await selectFunnel({ db: deps.db, today }, { from: isoDate(days[0] ?? today) })
    const rows: FunnelDay[] = []
    for await (const page of funnelPages(deps, selected)) rows.push(...(page.rows as unknown as FunnelDay[]))
    const read = async () => ({ data: rows, nextCursor: null })
    const csv = await csvOfList({ query, path }, 'funnel', read, (row) => row)
    if (csv !== undefined) return csv

    const byDay = days.map((date) => ({ date, ...sumOf(rows.filter((row) => row.date === date)) }))
    const total = sumOf(byDay)[stage].toLocaleString('en-GB')
    const bar = filterBar({ query }, (form) => [
      selectField(form, {
        name: 'stage',
        label: 'Chart of',
        value: stage,
        options: stageNames.map((value) => ({ value, label: stages[value] })),
      }),
      selectField(form, {
        name: 'days',
        label: 'Quotes of the last',
        value: period,
        options: periods.map((value) => ({ value, label: `${value} days` })),
      }),
    ])
    const bars = byDay.map(({ date, ...counts }) => ({ label: dayInWords(date), value: counts[stage] }))
    const summary = `${stages[stage]} by the day on which the quotes were created: ${total} in ${period} days`
    const columns = [
      { heading: 'Day', cell: ({ date }: Day) => shortDay.format(new Date(date)) },
      ...stageNames.map((name) => ({
        heading: stages[name],
        cell: (day: Day) => day[name].toLocaleString('en-GB'),
        holds: 'figures' as const,
      })),
    ]
    const body = html`<h1>Funnel</h1><p>How far the quotes of each day have got until now.</p>${bar}
<h2>${summary}</h2>${barChart(summary, bars)}
${dataTable({ caption: 'The same in figures, latest day first', columns }, byDay.toReversed())}${csvLink({ query })}`
    return { title: 'Funnel', body, isWide: true }
  },
}

function sumOf(days: readonly Record<Stage, number>[]): Record<Stage, number> {
  const total = (name: Stage) => days.reduce((sum, day) => sum + day[name], 0)
  return { quotes: total('quotes'), priced: total('priced'), accepted: total('accepted'), inForce: total('inForce') }
}
