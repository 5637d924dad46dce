import { addCommissionTerms } from '../../back-office/commission/add-terms.ts'
import { closeCommissionMonth } from '../../back-office/commission/close-month.ts'
import type { Month } from '../../back-office/commission/commission-month.ts'
import { findCommissionOwner, listCommissionTerms } from '../../back-office/commission/commission-statement.ts'
import { type CommissionTerms, type CommissionTier, kindOf } from '../../back-office/commission/commission-terms.ts'
import type { Database } from '../../platform/db/database.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { formatPounds, pence } from '../../platform/kernel/money.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { alignRows, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'

export interface AddCommissionOptions extends JsonOption {
  from: IsoDate
  rates: readonly CommissionTier[]
}

export interface CloseCommissionOptions extends JsonOption {
  month: Month
}

/** `partner commission`. */
export async function printTerms(id: string, { json }: JsonOption): Promise<void> {
  const terms = await asPartner('partner commission', id, (db, caller) => listCommissionTerms({ db }, caller))
  if (json) return printJson(terms.map((each) => ({ ...each, kind: kindOf(each.tiers) })))
  if (terms.length === 0)
    return print(`${id} earns no commission. Agree some with: npx housebill partner add-commission ${id}`)
  const rows = terms.map(({ termNumber, firstDay, tiers, recordedAt }) => [
    ...[String(termNumber), firstDay, ratesInWords(tiers), formatInstant(recordedAt)],
  ])
  print(alignRows([['NUMBER', 'FROM', 'RATES', 'ADDED'], ...rows]))
}

/** `partner add-commission`. */
export async function addTerms(
  id: string,
  { from: firstDay, rates: tiers, json }: AddCommissionOptions,
): Promise<void> {
  const terms: CommissionTerms = await asPartner('partner add-commission', id, (db, caller) =>
    addCommissionTerms({ db }, caller, { firstDay, tiers }),
  )
  if (json) printJson({ ...terms, kind: kindOf(terms.tiers) })
  else print(`Contracts that take effect from ${firstDay} on earn ${ratesInWords(tiers)}.`)
}

/** `partner close-commission`. */
export async function closeMonth(id: string, { month, json }: CloseCommissionOptions): Promise<void> {
  const closed = await asPartner('partner close-commission', id, (db, caller) =>
    closeCommissionMonth({ db }, caller, month),
  )
  if (json) printJson(closed)
  else print(`${month} is closed. What is found out later is on the statement of the first open month.`)
}

/** Runs work on the rows of a partner, with the partner's clock. Throws `not_found`. */
function asPartner<Result>(
  command: string,
  id: string,
  work: (db: Database, caller: { partnerId: Id<'partner'>; now: Date }) => Promise<Result>,
): Promise<Result> {
  return withDatabase(command, async ({ databases }) => {
    const owner = await findCommissionOwner({ db: databases.system }, id)
    if (owner === undefined)
      throw new CommandError('not_found', `There is no partner ${id}. "npx housebill partner list" lists them all.`)
    const { partnerId, clockOffsetSeconds } = owner
    const now = new Date(systemClock.now().getTime() + clockOffsetSeconds * 1_000)
    return work(databases.forPartner(partnerId), { partnerId, now })
  })
}

function ratesInWords(tiers: readonly CommissionTier[]): string {
  return tiers
    .map(({ upTo, basisPoints, amount }) => {
      const rate = basisPoints === null ? formatPounds(pence(amount ?? 0)) : `${basisPoints / 100} %`
      return upTo === null ? rate : `${rate} up to the contract number ${upTo} of a month`
    })
    .join(', then ')
}
