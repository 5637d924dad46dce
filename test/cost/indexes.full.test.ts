import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectOperator } from '../support/operator.ts'
import { succeeded } from '../support/responses.ts'
import type { Cost } from './database-meter.ts'
import { meterOperations } from './journey.ts'
import { growTables } from './many-rows.ts'
import { startMeteredService } from './metered-service.ts'

const rowsOfTable = 100_000

/** A page of a list has at most 100 entries, and the audit log several rows for each. */
const mostRowsRead = 1_000

/** Operations that return everything, and those that count everything when they are asked. */
const exceptions = new Set([
  'exportContracts',
  'exportPayments',
  'exportPriorityServices',
  'readFunnel',
  'exportFunnel',
])

const service = await startMeteredService()
after(() => service.stop())

test(`no operation reads more than ${mostRowsRead} rows of a table that has ${rowsOfTable}, so every query uses an index`, async () => {
  let grown: ReadonlySet<string> = new Set()
  const costs = await meterOperations(service, async () => {
    await service.dispatch()
    await readFeeds()
    grown = await growTables(service.connectionString, rowsOfTable, { copies: 'many', analyze: true })
  })
  const offences = [...costs].flatMap(([operationId, { rows }]) =>
    exceptions.has(operationId) ? [] : readingTooMuch(rows, grown).map((offence) => `${operationId}: ${offence}`),
  )
  assert.deepEqual(offences, [])
})

/** Gives all versions their places in the feeds, as back offices do that follow them. */
async function readFeeds(): Promise<void> {
  const operator = await connectOperator(service)
  for (const path of ['/Contracts', '/PriorityServices']) succeeded(await operator.get(path))
}

function readingTooMuch(rows: Cost['rows'], grown: ReadonlySet<string>): string[] {
  return [...rows].flatMap(([table, { read }]) =>
    grown.has(table) && read > mostRowsRead ? [`reads ${read} rows of ${table}`] : [],
  )
}
