// A process for a test to kill: it does once what a job does. Its environment is the service's.

import { pino } from 'pino'
import { tenantMailsJob } from '../../src/contracts/mails/mails.job.ts'
import { collectDuePayments } from '../../src/payments/collecting/collect-due-payments.ts'
import { payOpenRefunds } from '../../src/payments/refunding/pay-open-refunds.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { readEnvironment } from '../../src/platform/config/env.ts'
import { isoDate } from '../../src/platform/kernel/dates.ts'
import { pence } from '../../src/platform/kernel/money.ts'
import { createMailCounts } from '../../src/platform/mail/send-all-mails.ts'
import { createSmtpSender } from '../../src/platform/mail/smtp.ts'
import { createNameLookup } from '../../src/platform/outbound/name-lookup.ts'
import { createCollectingDependencies } from '../payments/reconcile.fixture.ts'
import { openDatabases } from './databases.ts'
import { mailDependencies } from './mail-dependencies.ts'

const environment = readEnvironment()
const [, , connectionString = '', work = '', mailPort = ''] = process.argv
const { dataDir, server } = buildConfig(environment)
const deps = await createCollectingDependencies(
  // Without a processor of the test's, as for e-mails, nothing is asked for.
  { environment: { STRIPE_API_BASE: 'http://127.0.0.1:9', ...environment }, config: { dataDir } },
  await openDatabases(connectionString),
)
const policy = { mode: 'on', from: isoDate('2020-01-01'), dailyLimit: pence(100_000_000), parallel: 3 } as const
const unstopped = { isStopping: () => false }
if (work === 'payments') await collectDuePayments(deps, policy, unstopped)
if (work === 'refunds') await payOpenRefunds(deps, policy, unstopped)
if (work === 'mails') {
  const smtp = { host: '127.0.0.1', port: Number(mailPort), tls: 'none', login: undefined } as const
  const job = tenantMailsJob({
    ...deps,
    ...(await mailDependencies({ baseUrl: server.publicUrl }, deps.cipher)),
    mailSender: createSmtpSender({ ...smtp, from: 'bills@example.com', lookup: createNameLookup() }),
    ...{ counts: createMailCounts(), connections: 3, log: pino({ level: 'silent' }) },
  })
  await job.run(new AbortController().signal)
}
