import { systemClock } from '../../platform/kernel/clock.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { restrictRateCard, scheduleRateCard, withdrawRateCard } from '../../quoting/rates/life/change-rate-card.ts'
import { type RateCardLife, stateOf } from '../../quoting/rates/life/rate-card-life.ts'
import { listRateCards } from '../../quoting/rates/load-rate-card.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { type CommandDatabase, withDatabase } from '../with-database.ts'
import { saleInWords } from './rates-actions.ts'

export interface ScheduleOptions extends JsonOption {
  from?: IsoDate
  to?: IsoDate
}

/** The command `rates schedule`. */
export async function scheduleCard(quotingToolVersionId: string, options: ScheduleOptions): Promise<void> {
  const { from = null, to = null, json } = options
  const today = londonDate(systemClock.now())
  const { card, defaultId } = await change('rates schedule', ({ db }, by) =>
    scheduleRateCard({ db }, { quotingToolVersionId, by, from, to, today }),
  )
  report(card, defaultId, json, `${quotingToolVersionId} is on sale ${saleDays(card)}.`)
}

export interface RestrictOptions extends JsonOption {
  partners?: readonly string[]
  everybody?: true
}

/** The command `rates restrict`. */
export async function restrictCard(
  quotingToolVersionId: string,
  { partners, everybody, json }: RestrictOptions,
): Promise<void> {
  const partnerIds = everybody === true || partners === undefined ? null : partners
  const { card, defaultId } = await change('rates restrict', ({ db }, by) =>
    restrictRateCard({ db }, { quotingToolVersionId, by, partnerIds }),
  )
  const whom = card.partnerIds === null ? 'every partner' : card.partnerIds.join(', ') || 'nobody'
  report(card, defaultId, json, `${quotingToolVersionId} is for ${whom}.`)
}

/** The command `rates withdraw`. */
export async function withdrawPublishedCard(quotingToolVersionId: string, { json }: JsonOption): Promise<void> {
  const { card, defaultId } = await change('rates withdraw', ({ db }, by) =>
    withdrawRateCard({ db }, { quotingToolVersionId, by }),
  )
  const text = `${quotingToolVersionId} is withdrawn. Quotes priced on it are repriced when they expire.`
  report(card, defaultId, json, text)
}

async function change(
  command: string,
  make: (opened: CommandDatabase, by: string) => Promise<RateCardLife>,
): Promise<{ card: RateCardLife; defaultId: string | null }> {
  return withDatabase(command, async (opened) => {
    const card = await make(opened, opened.operatorName)
    const listed = await listRateCards({ db: opened.db, clock: systemClock })
    return { card, defaultId: listed.find(({ isDefault }) => isDefault)?.quotingToolVersionId ?? null }
  })
}

function report(card: RateCardLife, defaultId: string | null, json: true | undefined, text: string): void {
  const { quotingToolVersionId, onSaleFrom, onSaleTo, partnerIds, withdrawnAt } = card
  if (json) {
    const state = stateOf(card, londonDate(systemClock.now()))
    printJson({ quotingToolVersionId, state, onSaleFrom, onSaleTo, partnerIds, withdrawnAt, defaultId })
    return
  }
  print(text)
  print(
    defaultId === null
      ? 'No rate card is on sale today, so nothing can be priced. Publish one with: npx housebill rates publish <file>'
      : `The default is now ${defaultId}.`,
  )
}

function saleDays({ onSaleFrom, onSaleTo }: RateCardLife): string {
  return saleInWords(onSaleFrom, onSaleTo)
}
