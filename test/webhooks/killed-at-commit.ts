// A process that commits an event and kills itself before it can notify anyone. Arguments: the database's URL, the
// partner, the quote.
import { inTransaction } from '../../src/platform/db/database.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { openDatabases } from '../support/databases.ts'
import { recordMarked } from './webhook-fixture.ts'

const [connectionString, partnerId, quoteId] = process.argv.slice(2) as [string, Id<'partner'>, Id<'quote'>]
const own = (await openDatabases(connectionString)).forPartner(partnerId)
// Kills the process at the moment when it would wake a worker: after the commit and before the notification.
own.commits.subscribe(() => process.kill(process.pid, 'SIGKILL'))
const data = { quoteId, reference: 'last words', previousStatus: null, status: 'draft', reason: null } as const
await inTransaction(own, {}, (tx) => recordMarked(tx, { partnerId }, [{ type: 'quote.status.changed', data }]))
