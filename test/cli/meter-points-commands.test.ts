import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../../src/properties/meter-points/meter-points.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill, prepareEnvironment } from './cli-fixture.ts'

const { environment, folder, drop } = await prepareEnvironment()
after(drop)

const mpan = mpanWithCheckDigit('101234567890')
const otherMpan = mpanWithCheckDigit('201234567890')
const mprn = mprnWithCheckDigits('39384244')
const importing = (file: string, ...more: string[]) => housebill(['meter-points', 'import', file, ...more], environment)

async function csvFile(name: string, ...lines: string[]): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `${lines.join('\r\n')}\r\n`)
  return file
}

test('importing meter points again changes nothing', async () => {
  const file = await csvFile('meters.csv', 'uprn,mpan,mprn', `1,${mpan},${mprn}`, `2,${otherMpan},`, '3,,')
  const run = await importing(file, '--json')
  assertSucceeded(run)
  const nothingWrong = { rejectedRows: 0, rejected: [], problems: 0, conflictingRows: 0, sharedMeterPoints: [] }
  const warning =
    'ADDRESS_SOURCE is "database", so these meters have no effect. Import meters with the properties: "addresses import".'
  assert.deepEqual(run.json(), { rows: 3, inserted: 3, updated: 0, unchanged: 0, ...nothingWrong, warning })
  const again = await importing(file)
  assertSucceeded(again)
  assert.match(again.stdout, /meters\.csv: 3 rows read\n {2}new +0\n {2}updated +0\n {2}unchanged +3\n/)
})

test('rows that cannot be used are listed with line and column, and the others are stored', async () => {
  const run = await importing(await csvFile('mixed.csv', 'uprn,mpan,mprn', `9,${mpan},`, `8,12,${mprn}`, 'one,two'))
  assertSucceeded(run)
  assert.match(run.stdout, /^ {2}new +1$/m)
  assert.match(run.stdout, /^ {2}line 3 +mpan +must be the 13 digits of the MPAN core$/m)
  assert.match(run.stdout, /^ {2}line 4 +has 2 fields, but the header has 3$/m)
})

test('the exit code is 1 if a home has two MPANs, and what several homes share is reported', async () => {
  const file = await csvFile(
    'solar.csv',
    'uprn,mpan,mprn',
    `31,${mpan},`,
    `31,${otherMpan},`,
    `32,${mpan},`,
    `33,${mpan},`,
  )
  const run = await importing(file)
  assert.equal(run.code, 1)
  assert.match(run.stdout, /^ {2}new +2$/m)
  assert.match(run.stdout, /^ {2}line 2 +uprn +is also on line 3; the lines differ/m)
  assert.match(run.stdout, /^ {2}line 3 +uprn +is also on line 2; the lines differ/m)
  assert.match(run.stdout, /^ {2}MPAN +1012345678903 +UPRN .*9, 32, 33$/m)
  assert.match(run.stdout, /these meters have no effect/)
})

test('an import fails if the file is missing, has the wrong columns or has no usable row', async () => {
  assertFailed(await importing(join(folder, 'none.csv')), /cannot be read \(ENOENT\)/)
  assertFailedAsJson(await importing(await csvFile('homes.csv', 'uprn,street'), '--json'), 'validation_failed')
  const hopeless = await csvFile('hopeless.csv', 'uprn,mpan,mprn', 'x,,')
  assertFailed(await importing(hopeless), /No row of .*hopeless\.csv can be used/)
})

test('the help describes the file and says which address sources it is for', async () => {
  const run = await housebill(['meter-points', 'import', '--help'])
  assert.equal(run.code, 0)
  assert.match(run.stdout, /uprn,mpan,mprn/)
  assert.match(run.stdout, /ADDRESS_SOURCE=os-places/)
})
