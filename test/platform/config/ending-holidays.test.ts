import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../../../src/app/logger.ts'
import { readReferenceData } from '../../../src/app/reference-data.ts'
import { movableClock, startTestService } from '../../support/service.ts'

/** The divisions that a start at this time warns about. */
async function warnedAbout(time: string): Promise<string[]> {
  const lines: string[] = []
  const log = createLogger('warn', { write: (line) => void lines.push(line) })
  const service = await startTestService({}, { log, clock: movableClock(time) })
  await service.stop()
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('bank holiday table ends'))
  for (const { remedy } of warnings)
    assert.equal(remedy, 'replace reference-data/uk-bank-holidays.csv with a newer one')
  return warnings.map(({ division, coveredUntil }) => `${division} ${coveredUntil}`)
}

test('a start warns, with the remedy, when the table of bank holidays ends within a year', async () => {
  const { bankHolidays } = await readReferenceData()
  const { coveredUntil } = bankHolidays.scotland
  const year = coveredUntil.slice(0, 4)
  assert.deepEqual(await warnedAbout(`${Number(year) - 1}-12-31T23:00:00Z`), [])
  assert.deepEqual(
    await warnedAbout(`${year}-01-01T09:00:00Z`),
    ['england-and-wales', 'scotland', 'northern-ireland'].map((division) => `${division} ${coveredUntil}`),
  )
})
