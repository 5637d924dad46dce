import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../../src/properties/meter-points/meter-points.ts'
import {
  assertFailed,
  assertFailedAsJson,
  assertSucceeded,
  checkout,
  housebill,
  prepareEnvironment,
  runProgram,
} from './cli-fixture.ts'
import { AddressStats, ImportResult } from './command-output.ts'

const { environment, folder, drop } = await prepareEnvironment()
after(drop)

const addresses = (...args: string[]) => housebill(['addresses', ...args], environment)
const header = 'addressLine1,addressLine2,city,county,country,postCode,uprn,mpan,mprn'

async function csvFile(name: string, ...lines: string[]): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `${lines.join('\r\n')}\r\n`)
  return file
}

/** The CSV rows of `count` generated properties, different for each seed. */
async function inventedRows(count: number, seed: number): Promise<string[]> {
  const run = await housebill(['addresses', 'generate', '--count', String(count), '--seed', String(seed)])
  assertSucceeded(run)
  return run.stdout.trimEnd().split('\r\n').slice(1)
}

test('generate writes the same properties for the same options, to standard output or to a new file', async () => {
  const run = await housebill(['addresses', 'generate', '--count', '20', '--seed', '3'])
  assertSucceeded(run)
  assert.equal(run.stdout.split('\r\n')[0], header)
  assert.equal(run.stdout.trimEnd().split('\r\n').length, 21)

  const file = join(folder, 'generated.csv')
  const toFile = ['addresses', 'generate', '--count', '20', '--seed', '3', '--out', file]
  const written = await housebill([...toFile, '--json'])
  assertSucceeded(written)
  assert.deepEqual(written.json(), { file, homes: 20, seed: 3 })
  assert.equal(await readFile(file, 'utf8'), run.stdout)

  assertFailed(await housebill(toFile), /generated\.csv already exists; choose a new file\./)
  assertFailedAsJson(await housebill([...toFile, '--json']), 'unusable_file')
  assertFailed(
    await housebill([...toFile.slice(0, -1), join(folder, 'no', 'such.csv')]),
    /cannot be written \(ENOENT\)/,
  )
})

test('generate ends without an error if its reader closes the pipe', async () => {
  const command = `"${process.execPath}" bin/housebill.js addresses generate --count 200000 | head -n 1; echo "\${PIPESTATUS[0]}"`
  const run = await runProgram('bash', ['-c', command], {}, checkout)
  assertSucceeded(run)
  assert.deepEqual(run.stdout.split(/\r?\n/), [header, '0', ''])
})

test('repeating an import changes nothing', async () => {
  const rows = await inventedRows(3, 21)
  const file = await csvFile('homes.csv', header, ...rows)
  const run = await addresses('import', file, '--json')
  assertSucceeded(run)
  const nothingWrong = { rejectedRows: 0, rejected: [], problems: 0, conflictingRows: 0, sharedMeterPoints: [] }
  assert.deepEqual(run.json(), { rows: 3, inserted: 3, updated: 0, unchanged: 0, ...nothingWrong })

  const again = await addresses('import', file)
  assertSucceeded(again)
  assert.match(
    again.stdout,
    /homes\.csv: 3 rows read\n {2}new +0\n {2}updated +0\n {2}unchanged +3\n {2}rejected +0\n$/,
  )
})

test('import lists unusable rows with line and column and stores the others', async () => {
  const [good = ''] = await inventedRows(1, 22)
  const file = await csvFile('mixed.csv', header, good, '1 Bad Lane,,Leeds,,England,nowhere,12a,,', 'too,short')
  const run = await addresses('import', file)
  assertSucceeded(run)
  const [, rejects = ''] = run.stdout.split('Rejected:\n')
  assert.match(run.stdout, /^ {2}new +1$/m)
  assert.deepEqual(rejects.split('\n').slice(0, 3), [
    '  line 3  postCode  is not a postcode; write it like SW7 2AZ',
    '  line 3  uprn      must be 1 to 12 digits, not all zero',
    '  line 4            has 2 fields, but the header has 9',
  ])
  const asJson = (await addresses('import', file, '--json')).json(ImportResult)
  assert.deepEqual([asJson.rows, asJson.unchanged, asJson.rejectedRows, asJson.problems], [3, 1, 2, 3])
  assert.deepEqual(asJson.rejected[2], { line: 4, column: null, reason: 'has 2 fields, but the header has 9' })
})

test('import fails and lists the rows if none is usable', async () => {
  const file = await csvFile('hopeless.csv', header, 'too,short')
  assertFailed(await addresses('import', file), /No row of .*hopeless\.csv can be used:\n {2}line 2 +has 2 fields/)
  const asJson = await addresses('import', file, '--json')
  assertFailedAsJson(asJson, 'every_row_rejected')
  assert.equal(asJson.json(ImportResult).rejectedRows, 1)
})

test('import fails if the file is missing or its header is wrong', async () => {
  assertFailed(await addresses('import', join(folder, 'none.csv')), /cannot be read \(ENOENT\)/)
  const file = await csvFile('header.csv', 'street,town')
  assertFailed(await addresses('import', file), /unknown column "street", "town"; missing column "addressLine1"/)
  assertFailedAsJson(await addresses('import', file, '--json'), 'validation_failed')
})

test('stats counts the properties by source and by region', async () => {
  const before = (await addresses('stats', '--json')).json(AddressStats)
  assert.equal(before.byRegion.length, 14)
  const inRegions = before.byRegion.reduce((sum, each) => sum + each.properties, 0)
  assert.equal(inRegions + before.withoutRegion, before.properties)

  await addresses('import', await csvFile('more.csv', header, ...(await inventedRows(5, 23))))
  const after = (await addresses('stats', '--json')).json(AddressStats)
  assert.equal(after.properties, before.properties + 5)
  assert.equal(after.bySource.import, before.bySource.import + 5)
  assert.equal(after.bySource.sample, before.bySource.sample)

  const forPeople = await addresses('stats')
  assertSucceeded(forPeople)
  assert.match(
    forPeople.stdout,
    new RegExp(`^${after.properties} properties \\(${after.bySource.sample} samples, \\d+ imported\\)\n`),
  )
  assert.match(forPeople.stdout, /^ {2}Yorkshire +_M +\d+$/m)
})

const mpan = mpanWithCheckDigit('101234567890')
const otherMpan = mpanWithCheckDigit('201234567890')
const mprn = mprnWithCheckDigits('39384244')
const importing = (file: string, ...more: string[]) => housebill(['meter-points', 'import', file, ...more], environment)

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
  assert.match(run.stdout, /^ {2}MPAN +1012345678903 +UPRN 1, 32, 33$/m)
  assert.match(run.stdout, /these meters have no effect/)
})

test('the help describes the file and says which address sources it is for', async () => {
  const run = await housebill(['meter-points', 'import', '--help'])
  assert.equal(run.code, 0)
  assert.match(run.stdout, /uprn,mpan,mprn/)
  assert.match(run.stdout, /ADDRESS_SOURCE=os-places/)
})
