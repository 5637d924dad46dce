import { exportText } from '../../back-office/export-files/csv.ts'
import { type FunnelDay, funnelColumns } from '../../back-office/reports/funnel.schema.ts'
import { funnelPages, selectFunnel } from '../../back-office/reports/read-funnel.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print, printError } from '../print.ts'
import { alignRows, formatCount, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import type { ReportFormat } from './report-format.ts'

export interface FunnelOptions extends JsonOption {
  from?: IsoDate
  to?: IsoDate
  partner?: string
  format: ReportFormat
}

/**
 * `report funnel`: prints counts and amounts only, never personal data. Says on standard error when they were counted.
 */
export async function printFunnel({ from, to, partner, format, json }: FunnelOptions): Promise<void> {
  await withDatabase('report funnel', async ({ databases }) => {
    const db = databases.system
    const today = londonDate(systemClock.now())
    const { asOf, ...selected } = await selectFunnel({ db, today }, { from, to, partnerId: partner })
    const pages = funnelPages({ db }, selected)
    if (!json && format !== 'table') {
      for await (const { text } of exportText(pages, funnelColumns, format)) invocation().stdout.write(text)
    } else {
      const days = (await Array.fromAsync(pages)).flatMap(({ rows }) => rows) as unknown as FunnelDay[]
      if (json) return printJson({ asOf: asOf.toISOString(), from: selected.from, to: selected.to, days })
      print(days.length === 0 ? 'No quotes were created on these days.' : tableOf(days))
    }
    printError(`Counted at ${formatInstant(asOf)}, for ${selected.from} to ${selected.to}.`)
  })
}

function tableOf(days: readonly FunnelDay[]): string {
  const [date, _partnerId, _partnerName, ...figures] = funnelColumns
  const rows = days.map((day) => [
    ...[day.date, day.partnerName],
    ...figures.map((name) => (name === 'value' ? formatPounds(pence(day.value)) : formatCount(Number(day[name])))),
  ])
  const head = [date, 'partner', ...figures].map((name) => String(name).toUpperCase())
  return alignRows([head, ...rows], { right: head.map((_, column) => column).slice(2) })
}
