import { isBinding } from '../contracts/contract.ts'
import type { ScheduledPayment } from '../contracts/preview/scheduled-payments.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import { addDays } from '../platform/kernel/dates.ts'
import { scheduleOf } from './before-signing/done.page.ts'
import type { TenantPage } from './tenant-visit.ts'
import { words } from './words.ts'

/** The payments and the first and last day of the contract, for the tenant's calendar. */
export const calendarPage: TenantPage = {
  name: 'calendar.ics',
  needs: 'code',
  when: 'after signing',
  async show(visit) {
    const { contract, caller, deps, path } = visit
    if (contract === null || !isBinding(contract)) return { goTo: path('') }
    const { payments } = await scheduleOf(visit)
    const { contractNumber, startsOn, endedOn, endsOn } = contract
    const lastDay = endedOn ?? endsOn
    const operatorName = deps.operator.trader.name
    const file = calendarOf({ contractNumber, operatorName, startsOn, lastDay, payments, now: caller.now })
    return { file, type: 'text/calendar; charset=utf-8', fileName: 'household-bills.ics' }
  },
}

/** A calendar file (RFC 5545). */
function calendarOf(contract: {
  contractNumber: string
  operatorName: string
  startsOn: IsoDate
  lastDay: IsoDate
  payments: readonly Pick<ScheduledPayment, 'date' | 'amount'>[]
  now: Date
}): string {
  const { contractNumber, operatorName, startsOn, lastDay, payments, now } = contract
  const text = words.done
  const days = [
    { id: 'first-day', date: startsOn, name: text.calendarFirstDay },
    ...payments
      .filter(({ amount }) => amount > 0)
      .map(({ date, amount }) => ({ id: `payment-${date}`, date, name: text.calendarPayment(amount, operatorName) })),
    { id: 'last-day', date: lastDay, name: text.calendarLastDay },
  ]
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Housebill//EN',
    `NAME:${escaped(text.calendarName(operatorName))}`,
    ...days.flatMap(({ id, date, name }) => [
      'BEGIN:VEVENT',
      `UID:${contractNumber}-${id}@housebill`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`,
      `DTEND;VALUE=DATE:${addDays(date, 1).replaceAll('-', '')}`,
      `SUMMARY:${escaped(name)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return `${lines.flatMap(folded).join('\r\n')}\r\n`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, (character) => `\\${character}`).replaceAll(/\r?\n/g, '\\n')
}

/** A line has at most 75 octets; what follows begins with a space (RFC 5545 §3.1). */
function folded(line: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const character of line) {
    if (Buffer.byteLength(part + character) > 74) {
      parts.push(part)
      part = ' '
    }
    part += character
  }
  return [...parts, part]
}
