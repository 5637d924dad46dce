import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Cost } from './database-meter.ts'
import { allOperations, meterOperations } from './journey.ts'
import { startMeteredService } from './metered-service.ts'
import { compareCosts, printCosts } from './operation-costs.ts'

const path = new URL('./operations.generated.txt', import.meta.url)
const file = await readFile(path, 'utf8')

test('every operation costs the database what operations.generated.txt says', async () => {
  const costs = await meterJourney()
  if (process.env.UPDATE === '1') return writeFile(path, printCosts(costs, file))
  assert.deepEqual(
    compareCosts(costs, file),
    [],
    `If it is on purpose, run "UPDATE=1 node scripts/tests.ts test/cost/operations.test.ts"`,
  )
})

async function meterJourney(): Promise<ReadonlyMap<string, Cost>> {
  const service = await startMeteredService()
  try {
    const called = await meterOperations(service)
    const forgotten = allOperations.filter((operationId) => !called.has(operationId))
    assert.deepEqual(forgotten, [], 'call the new operation in scripts/generated/examples')
    return new Map([...called].sort(([one], [other]) => placeOf(one) - placeOf(other)))
  } finally {
    await service.stop()
  }
}

function placeOf(operationId: string): number {
  const index = allOperations.indexOf(operationId)
  return index < 0 ? -1 : index
}

test('a difference in any column is reported, and so is an operation that is not called', () => {
  const rows = { inserted: 1, updated: 0, deleted: 0, read: 3 }
  const cost = { statements: 5, roundTrips: 3, clients: 1, walRecords: 50, rows: new Map([['quotes', rows]]) }
  const known = printCosts(new Map([['createQuote', cost]]), '')
  const compare = (changes: Partial<typeof cost>) =>
    compareCosts(new Map([['createQuote', { ...cost, ...changes }]]), known)
  assert.deepEqual(compare({}), [])
  assert.deepEqual(compare({ statements: 6 }), ['createQuote: statements: 5 in the file, 6 now'])
  assert.deepEqual(compare({ roundTrips: 2 }), ['createQuote: round trips: 3 in the file, 2 now'])
  assert.deepEqual(compare({ clients: 2 }), ['createQuote: clients: 1 in the file, 2 now'])
  assert.deepEqual(compare({ walRecords: 55 }), [])
  assert.deepEqual(compare({ walRecords: 44 }), ['createQuote: WAL records: 50 in the file, 44 now'])
  assert.deepEqual(compare({ rows: new Map([['quotes', { ...rows, updated: 10 }]]) }), [
    'createQuote: rows written: quotes +1 in the file, quotes +1 ~10 now',
  ])
  assert.deepEqual(compareCosts(new Map(), known), ['createQuote was not called'])
  assert.deepEqual(compareCosts(new Map([['createQuote', cost]]), ''), ['createQuote is missing in the file'])
})
