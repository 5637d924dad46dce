import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCommand } from '../support/command-line.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill, prepareEnvironment } from './cli-fixture.ts'
import { PublishResult, RateCardDifferences, RateCards } from './command-output.ts'

const shipped = 'reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json'
const { environment, folder, drop } = await prepareEnvironment()
after(drop)

const rates = (...args: string[]) => housebill(['rates', ...args], environment)

async function cardFile(id: string, changes: object = {}): Promise<string> {
  const file = join(folder, `${id}.json`)
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(shipped, 'utf8')), id, ...changes }))
  return file
}

const stateOf = async (id: string) =>
  (await rates('list', '--json')).json(RateCards).rateCards.find((card) => card.quotingToolVersionId === id)

test('rates withdraw takes a card off sale for ever, and says which card is the default now', async () => {
  const file = await cardFile('withdrawn-card')
  assertSucceeded(await rates('publish', await cardFile('lasting-card')))
  assertSucceeded(await rates('publish', file))
  assert.equal((await stateOf('withdrawn-card'))?.isDefault, true)
  assertFailed(await rates('withdraw', 'withdrawn-card'), /add --yes/)
  assert.equal((await stateOf('withdrawn-card'))?.state, 'on_sale')
  const run = await rates('withdraw', 'withdrawn-card', '--yes')
  assertSucceeded(run)
  assert.match(run.stdout, /^withdrawn-card is withdrawn\. .*\nThe default is now lasting-card\.$/m)
  const again = await rates('withdraw', 'withdrawn-card', '--json')
  assertSucceeded(again)
  const { state, changes, isDefault } = (await stateOf('withdrawn-card')) ?? assert.fail()
  assert.deepEqual(
    [state, isDefault, changes.map(({ change }) => change)],
    ['withdrawn', false, ['published', 'withdrawn']],
  )
  assertFailed(await rates('publish', file), /\/id: withdrawn-card is withdrawn for ever: choose a new id\./)
  assertFailedAsJson(await rates('withdraw', 'unknown-card', '--json'), 'not_found')
})

test('rates withdraw asks at a terminal with the figures, and does it for "yes" alone', async () => {
  assertSucceeded(await rates('publish', await cardFile('asked-card')))
  const answer = (text: string) => runCommand(['rates', 'withdraw', 'asked-card', '--stop-signing'], environment, text)
  for (const text of ['no\n', '']) {
    const kept = await answer(text)
    assert.equal(kept.code, 1, text)
    assert.match(
      kept.stderr,
      /Default afterwards +lasting-card\n {2}Open quotes on offer +0\n[\s\S]*Nothing was changed/,
    )
    assert.equal((await stateOf('asked-card'))?.state, 'on_sale')
  }
  const done = await answer('yes\n')
  assert.equal(done.code, 0, done.stderr)
  assert.deepEqual(
    (await stateOf('asked-card'))?.changes.map(({ change }) => change),
    ['published', 'withdrawn', 'signing_stopped'],
  )
})

test('rates withdraw warns if no card is on sale any more', async () => {
  const lean = await prepareEnvironment()
  try {
    const own = (...args: string[]) => housebill(['rates', ...args], lean.environment)
    assertSucceeded(await own('publish', await cardFile('only-card')))
    const run = await own('withdraw', 'only-card', '--yes')
    assertSucceeded(run)
    assert.match(run.stdout, /^No rate card is on sale today, so nothing can be priced\./m)
  } finally {
    await lean.drop()
  }
})

test('rates diff compares two files without a database, and a published card by its id', async () => {
  const consumption = {
    low: { electricityKwh: 1_800, gasKwh: 7_500 },
    medium: { electricityKwh: 2_500, gasKwh: 9_600 },
    high: { electricityKwh: 4_100, gasKwh: 17_000 },
  }
  const changed = await cardFile('changed-card', { consumption })
  const noDatabase = { DATABASE_URL: 'postgres://127.0.0.1:9/none' }
  const run = await housebill(['rates', 'diff', shipped, changed, '--json'], noDatabase)
  assertSucceeded(run)
  const { figures, homes } = run.json(RateCardDifferences)
  assert.deepEqual(figures, [{ pointer: '/consumption/medium/gasKwh', before: 9_500, after: 9_600 }])
  for (const { tenants, hasGas, difference } of homes)
    assert.equal(difference.yearlyCost > 0, hasGas && (tenants === 2 || tenants === 3))

  assertSucceeded(await rates('publish', await cardFile('compared-card')))
  const forPeople = await rates('diff', 'compared-card', changed)
  assertSucceeded(forPeople)
  assert.match(forPeople.stdout, /^ {2}\/consumption\/medium\/gasKwh +9500 +9600$/m)
  assert.match(forPeople.stdout, /^ {2}all +yes +2 3 +\d+ +\d+ +\d+ +0\.\d\d +\d+$/m)
  assert.match(forPeople.stdout, /^ {2}all +no +4 5 6 +(\d+) +\1 +0 +0\.00 +0$/m)
  assert.match((await rates('diff', 'compared-card', 'compared-card')).stdout, /^No figure differs\.$/m)
})

test('rates diff fails for an unknown id and for a file that is no rate card', async () => {
  assertFailed(await rates('diff', 'unknown-card', shipped), /There is no rate card unknown-card\./)
  assertFailed(await rates('diff', './none.json', shipped), /the file does not exist/)
})

test('rates publish says what a card means for sample homes, and rejects one that is far off the present card without --yes', async () => {
  assertSucceeded(await rates('publish', await cardFile('present-card')))
  const consumption = {
    low: { electricityKwh: 1_800, gasKwh: 7_500 },
    medium: { electricityKwh: 2_500, gasKwh: 950 },
    high: { electricityKwh: 4_100, gasKwh: 17_000 },
  }
  const file = await cardFile('far-card', { consumption })
  const rejected = await rates('publish', file)
  assertFailed(
    rejected,
    /more than 30 % off present-card\. If that is meant, publish it with --yes:\n {2}- \/consumption\/medium\/gasKwh: 950 instead of 9500\n {2}- \/packages: 28 of 168 sample homes pay up to \d+ % more or less/,
  )
  assert.match(rejected.stderr, /^Compared with present-card, the default until now:$/m)
  assertFailedAsJson(await rates('publish', file, '--json'), 'rejected')
  assert.equal(await stateOf('far-card'), undefined)
  const run = await rates('publish', file, '--yes')
  assertSucceeded(run)
  assert.match(run.stdout, /^ {2}all +yes +2 3 +\d+ +\d+ +-\d+ +-\d\d\.\d\d +-\d+$/m)
  assert.match(run.stdout, /^far-card is published\.$/m)
  const asJson = await rates('publish', await cardFile('near-card', { consumption }), '--json')
  assertSucceeded(asJson)
  const { comparedWith, homes } = asJson.json(PublishResult)
  assert.deepEqual([comparedWith, homes.length], ['far-card', 168])
  assertSucceeded(await rates('publish', file))
})
