// A process for a test to kill: it asks for the payments that are due. Its environment is the service's.

import { collectDuePayments } from '../../src/payments/collecting/collect-due-payments.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { readEnvironment } from '../../src/platform/config/env.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import { pence } from '../../src/platform/kernel/money.ts'
import { openDatabases } from '../support/databases.ts'
import { createCollectingDependencies } from './collecting.fixture.ts'

const environment = readEnvironment()
const connectionString = process.argv[2] ?? ''
const { dataDir } = buildConfig(environment)
const deps = await createCollectingDependencies(
  { environment, config: { dataDir } },
  await openDatabases(connectionString),
)
const policy = { mode: 'on', from: isoDate('2020-01-01'), dailyLimit: pence(100_000_000), parallel: 3 } as const
await collectDuePayments(deps, policy, { isStopping: () => false })
