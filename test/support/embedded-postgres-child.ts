// A process that uses the private PostgreSQL of a DATA_DIR, for tests that kill it, signal it or stop it. Its arguments
// are DATA_DIR and the system folder. It prints one JSON line when it has started, and `answer …` if a signal arrives
// during its query. It exits when its standard input closes.
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/private-postgres/start-embedded.ts'

const [dataDir = '', systemFolder = ''] = process.argv.slice(2)
const embedded = await startEmbeddedPostgres({ dataDir, systemFolder, log: () => undefined })
const client = new Client({ connectionString: embedded.connectionString })
await client.connect()

process.once('SIGINT', async () => {
  const { rows } = await query
  process.stdout.write(`answer ${rows[0]?.answer}\n`)
  await end()
})
process.stdin.once('end', () => query.then(end)).resume()

const query = client.query<{ answer: string }>(`select 'complete' as answer from pg_sleep(0.3)`)
process.stdout.write(`${JSON.stringify({ pid: embedded.pid, connectionString: embedded.connectionString })}\n`)

async function end(): Promise<void> {
  await client.end()
  await embedded.stop()
  process.exit(0)
}
