// A process that only runs a webhook worker, to be killed by a test. Arguments: the database's URL, the encryption key
// in hex, the seconds a lease lasts. Prints "started" once it runs.

import { pino } from 'pino'
import { announceContractVersions } from '../../src/back-office/contract-feed/read-contract-feed.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { startWebhookWorker } from '../../src/webhooks/delivery/webhook-worker.ts'
import { createWebhookSender } from '../../src/webhooks/sender/webhook-sender.ts'
import { openDatabases } from '../support/databases.ts'
import { labCipher, labResolver } from './webhook-fixture.ts'

const [connectionString = '', key = '', leaseSeconds = ''] = process.argv.slice(2)
startWebhookWorker({
  db: (await openDatabases(connectionString)).system,
  connectionString,
  cipher: labCipher(Buffer.from(key, 'hex')),
  sender: createWebhookSender({ resolver: labResolver(), egress: { allowLoopback: true } }),
  announceVersions: announceContractVersions,
  clock: systemClock,
  log: pino({ level: 'silent' }),
  settings: { retrySeconds: [], requireVerification: false },
  limits: { leaseSeconds: Number(leaseSeconds) },
})
process.stdout.write('started\n')
