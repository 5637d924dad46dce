import type { CommissionTotal } from '../../back-office/commission/commission-entries.store.ts'
import type { Month } from '../../back-office/commission/commission-month.ts'
import { readTotals, statementColumns, statementPages } from '../../back-office/commission/commission-statement.ts'
import { exportText } from '../../back-office/export-files/csv.ts'
import { formatPounds } from '../../platform/kernel/money.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { alignRows, formatCount, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import type { ReportFormat } from './report-format.ts'

export interface CommissionOptions extends JsonOption {
  month: Month
  partner?: string
  format: ReportFormat
}

/** `report commission`: prints what each partner is owed for a month, or the entries that add up to it as a file. */
export async function printCommission({ month, partner, format, json }: CommissionOptions): Promise<void> {
  await withDatabase('report commission', async ({ databases }) => {
    const db = databases.system
    const filter = { month, partnerId: partner }
    if (!json && format !== 'table') {
      for await (const { text } of exportText(statementPages({ db }, filter), statementColumns, format))
        invocation().stdout.write(text)
      return
    }
    const totals = await readTotals({ db }, filter)
    if (json) return printJson({ month, totals })
    print(totals.length === 0 ? `No partner has earned commission in ${month}.` : tableOf(totals))
  })
}

function tableOf(totals: readonly CommissionTotal[]): string {
  const rows = totals.map(({ partnerName, partnerId, earnings, earned, clawbacks, clawedBack, total, closedAt }) => [
    ...[partnerName, partnerId, formatCount(earnings), formatPounds(earned), formatCount(clawbacks)],
    ...[
      formatPounds(clawedBack),
      formatPounds(total),
      closedAt === null ? 'open' : `closed ${formatInstant(closedAt)}`,
    ],
  ])
  const head = ['PARTNER', 'ID', 'CONTRACTS', 'EARNED', 'CLAWBACKS', 'TAKEN BACK', 'TOTAL', 'MONTH']
  return alignRows([head, ...rows], { right: [2, 3, 4, 5, 6] })
}
