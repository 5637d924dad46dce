import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Logger } from 'pino'
import type { OperatorFile } from '../contracts/operator-file.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import { type BankHolidays, divisionsEndingSoon, parseBankHolidays } from '../platform/kernel/working-days.ts'
import { type RateCard, rateCardSchema } from '../quoting/rates/rate-card.ts'
import { rateCardProblems } from '../quoting/rates/rate-card-rules.ts'
import type { PsrCategoryDefinition, PsrExtra } from '../quoting/tenants/psr.ts'
import { displayPath, readCheckedJson, readOperatorFile, UnusableFileError } from './operator-file.ts'

const folder = new URL('../../reference-data/', import.meta.url)

/** Data that can change without a release. It is read from `reference-data/` once at start. */
export interface ReferenceData {
  bankHolidays: BankHolidays
  psrCategories: readonly PsrCategoryDefinition[]
}

export async function readReferenceData(): Promise<ReferenceData> {
  const [holidays, categories] = await Promise.all([
    readFile(new URL('uk-bank-holidays.csv', folder), 'utf8'),
    readFile(new URL('psr-needs-codes.csv', folder), 'utf8'),
  ])
  return { bankHolidays: parseBankHolidays(holidays), psrCategories: parseCategories(categories) }
}

/** Logs a warning for each division whose table of bank holidays ends within a year of `today`. */
export function warnOfEndingHolidays(holidays: BankHolidays, today: IsoDate, log: Logger): void {
  for (const division of divisionsEndingSoon(holidays, today)) {
    const { coveredUntil } = holidays[division]
    log.warn(
      { division, coveredUntil, remedy: 'replace reference-data/uk-bank-holidays.csv with a newer one' },
      'bank holiday table ends within a year; later holidays are worked out, without any that are proclaimed',
    )
  }
}

/** The rate cards that every sandbox starts with, in the order to publish them: the numbered files. */
export async function readShippedRateCards(): Promise<RateCard[]> {
  const cards = new URL('rate-cards/', folder)
  const names = (await readdir(cards)).filter((name) => /^\d/.test(name))
  return Promise.all(names.sort().map((name) => readRateCardFile(new URL(name, cards))))
}

/** Reads OPERATOR_FILE or, in a sandbox without one, the sample file. */
export function readOperator(file: string | undefined): Promise<OperatorFile> {
  return readOperatorFile(file ?? new URL('operator.sample.json', folder))
}

const extras: readonly PsrExtra[] = ['none', 'expiry-date', 'expiry-date-or-youngest-child']

function parseCategories(csv: string): PsrCategoryDefinition[] {
  const rows = parse(csv, { columns: true, skip_empty_lines: true }) as Record<string, string>[]
  return rows.map(({ code = '', name = '', grouping = '', extra = '' }) => {
    const known = extras.find((each) => each === extra)
    if (code === '' || known === undefined)
      throw new Error(`reference-data/psr-needs-codes.csv: unusable row for code "${code}"`)
    return { code, name, grouping, extra: known }
  })
}

const schema = rateCardSchema()

/** Reads and fully checks a rate card file. Throws UnusableFileError naming every problem. */
export async function readRateCardFile(file: string | URL): Promise<RateCard> {
  // This cast is safe: the schema has checked the value.
  const card = (await readCheckedJson(file, schema)) as RateCard
  const problems = rateCardProblems(card)
  if (problems.length === 0) return card
  throw new UnusableFileError(displayPath(file), problems)
}
