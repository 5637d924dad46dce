// A process that works like a server: makes one change after another to each quote, and runs a webhook worker. A test
// kills it. Arguments: the database's URL, the encryption key in hex, the partner, a label for its quotes. Prints
// "started", and then the reference of every committed event. Exits only if an error occurs that an outage does not
// explain.

import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { announceContractVersions } from '../../src/back-office/contract-feed/read-contract-feed.ts'
import { noLabels } from '../../src/events/event.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { startWebhookWorker } from '../../src/webhooks/delivery/webhook-worker.ts'
import { createWebhookSender } from '../../src/webhooks/sender/webhook-sender.ts'
import { openDatabases } from '../support/databases.ts'
import { labCipher, labResolver, recordMarked } from './webhook-fixture.ts'

const [connectionString = '', key = '', partnerId, label = ''] = process.argv.slice(2) as [
  string,
  string,
  Id<'partner'>,
  string,
]
const log = pino({ level: 'silent' })
const databases = await openDatabases(connectionString)
const own = databases.forPartner(partnerId)
startWebhookWorker({
  db: databases.system,
  connectionString,
  cipher: labCipher(Buffer.from(key, 'hex')),
  sender: createWebhookSender({ resolver: labResolver(), egress: { allowLoopback: true } }),
  announceVersions: announceContractVersions,
  clock: systemClock,
  log,
  settings: { retrySeconds: [0.2, 0.2, 0.2], requireVerification: false },
  limits: { leaseSeconds: 3 },
})
process.stdout.write('started\n')
for (let quote = 0; quote < 4; quote += 1) changeQuote(`quote_${label}_${quote}`)

async function changeQuote(quoteId: Id<'quote'>): Promise<never> {
  for (let step = 0; ; step += 1) {
    const reference = `${quoteId} ${step}`
    const data = {
      quoteId,
      ...noLabels,
      reference,
      previousStatus: 'draft',
      status: 'TenantsAdded',
      reason: null,
    } as const
    try {
      await inTransaction(own, {}, (tx) => recordMarked(tx, { partnerId }, [{ type: 'quote.status.changed', data }]))
      process.stdout.write(`${reference}\n`)
    } catch (error) {
      // It is unknown whether the step was committed. Continue with the quote's next step.
      if (!(error instanceof DomainError && error.code === 'service_unavailable')) throw error
    }
    await sleep(20 + 60 * Math.random())
  }
}
