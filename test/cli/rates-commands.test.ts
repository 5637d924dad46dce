import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Type from 'typebox'
import { serviceNames } from '../../src/quoting/packages/services.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill, prepareEnvironment } from './cli-fixture.ts'
import { CommandError, PublishResult, RateCards } from './command-output.ts'

const shipped = 'reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json'
const { environment, folder, drop } = await prepareEnvironment()
after(drop)

const rates = (...args: string[]) => housebill(['rates', ...args], environment)

async function cardFile(name: string, changes: object): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(shipped, 'utf8')), ...changes }))
  return file
}

test('rates check describes the card and needs no database', async () => {
  const run = await housebill(['rates', 'check', shipped], { DATABASE_URL: 'postgres://127.0.0.1:9/none' })
  assertSucceeded(run)
  assert.match(run.stdout, /can be published\.\n {2}id +price-cap-2026-q4-gb-average\n {2}name /)
  const asJson = await housebill(['rates', 'check', shipped, '--json'])
  assertSucceeded(asJson)
  asJson.json(
    Type.Object({ valid: Type.Literal(true), quotingToolVersionId: Type.Literal('price-cap-2026-q4-gb-average') }),
  )
})

test('rates check names each schema error by JSON pointer, including missing and unknown fields', async () => {
  const file = await cardFile('shape.json', {
    id: 'No Spaces',
    name: undefined,
    'col/our': 'blue',
    packages: [{ packageId: 'coal-standard', type: 'coal', name: 'Coal', isDefault: true, setupFee: 1.5 }],
  })
  const run = await housebill(['rates', 'check', file, '--json'])
  assertFailedAsJson(run, 'unusable_file')
  const { problems = [] } = run.json(CommandError).error
  const pointers = problems.map(({ pointer }) => pointer).sort()
  assert.deepEqual(pointers, [
    '/col~1our',
    '/id',
    '/name',
    '/packages/0/description',
    '/packages/0/setupFee',
    '/packages/0/type',
  ])
  const forPeople = await housebill(['rates', 'check', file])
  assertFailed(forPeople, /shape\.json cannot be used:\n/)
  assert.ok(forPeople.stderr.includes(`\n  - /packages/0/type: must be one of ${serviceNames().join(', ')}\n`))
  assert.equal(forPeople.stderr.trimEnd().split('\n').length, 1 + problems.length)
})

test('rates check warns of figures that look wrong, and succeeds', async () => {
  const consumption = {
    low: { electricityKwh: 1_800, gasKwh: 7_500 },
    medium: { electricityKwh: 2_500, gasKwh: 950 },
    high: { electricityKwh: 4_100, gasKwh: 17_000 },
  }
  const file = await cardFile('unusual.json', { consumption })
  const run = await housebill(['rates', 'check', file])
  assertSucceeded(run)
  assert.match(
    run.stdout,
    /look wrong.*\n {2}- \/consumption\/medium\/gasKwh: 950 is unusual: between 2000 and 60000 a year/,
  )
  const asJson = await housebill(['rates', 'check', file, '--json'])
  const Warnings = Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }))
  const { warnings } = asJson.json(Type.Object({ valid: Type.Literal(true), warnings: Warnings }))
  assert.deepEqual(
    warnings.map(({ pointer }) => pointer),
    ['/consumption/medium/gasKwh', '/consumption/medium/gasKwh'],
  )
})

test('"rates check" reports violations of rules that no schema can express', async () => {
  const file = await cardFile('rules.json', { onSaleFrom: '2026-12-01', onSaleTo: '2026-11-30' })
  assertFailed(await housebill(['rates', 'check', file]), /\/onSaleTo: must not be before onSaleFrom/)
})

test('rates check fails if the file is not JSON', async () => {
  const broken = join(folder, 'broken.json')
  await writeFile(broken, '{"id": ')
  assertFailed(await housebill(['rates', 'check', broken]), /it is not valid JSON/)
  assertFailed(await housebill(['rates', 'check', join(folder, 'none.json')]), /the file does not exist/)
  assertFailed(await housebill(['rates', 'check', folder]), /it cannot be read \(EISDIR\)/)
})

test('a published card is listed, and is the default from then on', async () => {
  const file = await cardFile('mine.json', { id: 'spring-card', name: 'Spring card' })
  const run = await rates('publish', file, '--json')
  assertSucceeded(run)
  assert.deepEqual(run.json(), {
    outcome: 'published',
    quotingToolVersionId: 'spring-card',
    name: 'Spring card',
    isDefault: true,
    comparedWith: null,
    homes: [],
  })
  const listed = await rates('list', '--json')
  assertSucceeded(listed)
  const [{ publishedAt, changes, ...first } = assert.fail('none is listed')] = listed.json(RateCards).rateCards
  assert.ok(Math.abs(Date.now() - Date.parse(publishedAt)) < 60_000)
  assert.deepEqual(
    changes.map(({ change, by }) => [change, by]),
    [['published', userInfo().username]],
  )
  assert.deepEqual(first, {
    quotingToolVersionId: 'spring-card',
    name: 'Spring card',
    onSaleFrom: null,
    onSaleTo: null,
    partnerIds: null,
    withdrawnAt: null,
    signingStoppedAt: null,
    state: 'on_sale',
    isOnSale: true,
    isDefault: true,
  })
  const defaults = listed.json(RateCards).rateCards.filter(({ isDefault }) => isDefault)
  assert.equal(defaults.length, 1)
})

test('a card that cannot be sold yet is published and listed, but does not become the default', async () => {
  const file = await cardFile('later.json', { id: 'later-card', name: 'Later card', onSaleFrom: '2190-01-01' })
  const run = await rates('publish', file)
  assertSucceeded(run)
  assert.match(run.stdout, /^later-card is published\.\n/)
  assert.match(run.stdout, /^ {2}default +no$/m)
  const listed = await rates('list')
  assertSucceeded(listed)
  assert.match(listed.stdout, /^ {2}ID +TODAY +MAY BE SOLD +PUBLISHED +NAME$/m)
  assert.match(listed.stdout, /^ {2}later-card +scheduled +from 2190-01-01 .* Later card$/m)
})

test('publishing the same card again changes nothing; a different card with its id is rejected', async () => {
  const file = await cardFile('fixed.json', { id: 'fixed-card' })
  assertSucceeded(await rates('publish', file))
  const again = await rates('publish', file)
  assertSucceeded(again)
  assert.match(again.stdout, /^fixed-card was already published; nothing has changed\./)
  assert.equal((await rates('publish', file, '--json')).json(PublishResult).outcome, 'already-published')

  const other = await cardFile('other.json', { id: 'fixed-card', name: 'Other figures' })
  assertFailed(
    await rates('publish', other),
    /other\.json cannot be published:\n {2}- \/id: fixed-card is already published/,
  )
  const asJson = await rates('publish', other, '--json')
  assertFailedAsJson(asJson, 'rejected')
  assert.equal(asJson.json(CommandError).error.problems?.[0]?.pointer, '/id')
})

test('a file with problems is not published', async () => {
  const file = await cardFile('unusable.json', { id: 'unusable-card', vat: {} })
  assertFailed(await rates('publish', file), /\/vat\/fees: is missing/)
  const withoutVat = await cardFile('without-vat.json', { id: 'unusable-card', vat: { fees: [{ rate: '0.2' }] } })
  assertFailed(await rates('publish', withoutVat), /\/vat\/electricity: is missing/)
  const listed = (await rates('list', '--json')).json(RateCards).rateCards
  assert.ok(listed.every((card) => card.quotingToolVersionId !== 'unusable-card'))
})
