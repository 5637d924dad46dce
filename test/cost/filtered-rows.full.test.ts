import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordOperations } from '../../scripts/generated/examples/journey.ts'
import { recordOperatorApi } from '../../scripts/generated/examples/operator.ts'
import { createRecorder } from '../../scripts/generated/examples/recorder.ts'
import { routes } from '../../src/app/http/routes.ts'
import { earnAtOnce } from '../back-office/start-commission.ts'
import { getToken } from '../support/client.ts'
import { connectOperator } from '../support/operator.ts'
import { succeeded } from '../support/responses.ts'
import type { PlanNode } from './database-meter.ts'
import { growTables } from './many-rows.ts'
import { type MeteredService, now, startMeteredService } from './metered-service.ts'

/*
 * On a new deployment, PostgreSQL makes the plans of the statements while the tables are empty, or have so few rows
 * that reading them all looks cheap, and keeps the plans while the tables grow. So every statement must be such that no
 * plan looks as good as the right one.
 */

const rowsOfTable = 10_000

/** What one customer or one quote has of the rows of a table: the payments of a moved contract and of the one after it. */
const handful = 40

/** Statements that leave out rows for a reason that no index knows. */
const exceptions: readonly { statement: RegExp; reason: string }[] = [
  {
    statement: /from unnest\(.*\) wanted \(status\)\s+cross join lateral \(\s+select e\.\* from payment_entries/,
    reason: 'the list of payments leaves out those of contracts to which not everyone has agreed yet',
  },
  {
    statement: /r\.signing_stopped_at is not null/,
    reason: 'households that have signed in part on a stopped card stay active for the weeks that a lock lasts',
  },
  { statement: /from pg_inherits/, reason: 'a table has a few dozen partitions' },
  {
    statement: /p\.occurred_at >= .* interval '1 hour'/,
    reason: 'positions say only roughly when an event was written',
  },
  {
    statement: /e\.type = any\(w\.events\)/,
    reason: "each event of a dispatch is matched with its partner's webhooks",
  },
  { statement: /m\.mail_id <> all/, reason: "only a sandbox's clock asks for the e-mails of one partner" },
  { statement: /from simulated_processor\.events/, reason: "a simulator's list, of 30 days" },
]

for (const [made, prepare] of [
  ['the tables were empty', async () => undefined],
  [
    'the tables had few rows and were analysed',
    async (service: MeteredService, journey: () => Promise<void>) => {
      await growTables(service.connectionString, 60, { copies: 'few', analyze: true })
      await journey()
    },
  ],
] as const)
  test(`with plans made when ${made}, no statement reads rows of ${rowsOfTable} that it does not need`, async () => {
    const service = await startMeteredService({ explains: true })
    try {
      const token = await getToken(service.baseUrl, service.credentials)
      const recorder = createRecorder({ url: `${service.baseUrl}/partner-api`, token, routes })
      const journey = async () => {
        await service.runJobs()
        await recordOperations({
          recorder,
          work: service.dispatch,
          earn: (sold) => earnAtOnce(service, sold, { now: () => now }),
        })
        const operator = await connectOperator(service)
        for (const path of ['/Contracts', '/PriorityServices']) succeeded(await operator.get(path))
      }
      await journey()
      await prepare(service, journey)
      await growTables(service.connectionString, rowsOfTable, { copies: 'many', analyze: false })
      const found = new Map<string, string>()
      service.meter.onPlan = ({ 'Query Text': statement, Plan: plan }) => {
        const removed = nodesOf(plan).flatMap(rowsRemoved)
        if (removed.length > 0 && !exceptions.some((exception) => exception.statement.test(statement)))
          found.set(statement, removed.join('; '))
      }
      await journey()
      await recordOperatorApi(service, recorder.recording)
      assert.equal([...found].map(([statement, removed]) => `${removed}\n${statement}`).join('\n\n'), '')
    } finally {
      await service.stop()
    }
  })

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** Says which rows a node of a plan read and threw away, each time that it was run. */
function rowsRemoved(node: PlanNode): string[] {
  return Object.entries(node).flatMap(([property, value]) =>
    property.startsWith('Rows Removed') && Number(value) > handful
      ? [`${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}: ${property} ${value}`]
      : [],
  )
}
