import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { createPool } from '../src/compose/open-database.ts'
import { createDatabase, type Database, inTransaction } from '../src/db/database.ts'
import { findCredential, insertCredential, insertPartner } from '../src/domain/auth/partners.store.ts'
import { newId } from '../src/kernel/ids.ts'
import { credentials, findFreePort, startService } from './child-service.ts'
import { beginRun } from './results.ts'
import { writeHistory } from './webhook-lists/history.ts'
import { choosePagesToTime, type ListedPage } from './webhook-lists/lists.ts'
import { type ListFigures, reportLists, summarise } from './webhook-lists/report.ts'

/*
 * `npm run bench:webhook-lists`: measures how long pages of deliveries and events take for a partner with a million of each, compared with
 * the same pages for a partner with a thousand. Loopback only; takes two to four minutes.
 */

const maxMinutes = 6
const short = 1_000
const long = 1_000_000
/** The first requests are a warm-up, because PostgreSQL settles on a query plan only at the sixth execution. */
const rounds = { warmUp: 7, timed: 41 }

const run = beginRun('webhook-lists')
const begun = performance.now()
const seconds = () => (performance.now() - begun) / 1_000
const timer = setTimeout(() => {
  console.error(`not finished within ${maxMinutes} minutes: the machine is too busy with other work`)
  process.exitCode = 1
  tooLong.abort()
}, maxMinutes * 60_000)
const tooLong = new AbortController()
const agent = new Agent({ connections: 1 })
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const port = await findFreePort()
const service = await startService(dataDir, port)
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const pool = createPool(postgres.connectionString, { warn: console.error })
try {
  const figures = await measure(createDatabase(pool))
  console.log(reportLists(figures))
  await run.record(figures)
} finally {
  clearTimeout(timer)
  await agent.destroy()
  await pool.end()
  await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(db: Database): Promise<ListFigures> {
  const one = await addPartner(db)
  const shortPages = await choosePagesToTime(db, await writeHistory(db, one.partnerId, short))
  const [alone = []] = await timeAll([{ token: one.token, pages: shortPages }])
  say(`timed the pages of a history of ${short} events`)

  const other = await addPartner(db)
  const longPages = await choosePagesToTime(db, await writeHistory(db, other.partnerId, long))
  say(`wrote a history of ${long} events`)
  const [together = [], ofLong = []] = await timeAll([
    { token: one.token, pages: shortPages },
    { token: other.token, pages: longPages },
  ])
  const pages = longPages.map((page, index) =>
    summarise(page, { alone: alone[index] ?? [], together: together[index] ?? [], long: ofLong[index] ?? [] }),
  )
  return { short, long, requestsPerPage: rounds.timed, pages }
}

interface Side {
  token: string
  pages: readonly ListedPage[]
}

/** Times every page for every partner, alternating between partners; throws if their pages differ in length. */
async function timeAll(sides: readonly Side[]): Promise<number[][][]> {
  const times = sides.map(({ pages }) => pages.map((): number[] => []))
  const names = sides[0]?.pages.map(({ name }) => name) ?? []
  for (let round = -rounds.warmUp; round < rounds.timed; round += 1) {
    for (const [index, name] of names.entries()) {
      const sizes: number[] = []
      for (const [side, { token, pages }] of sides.entries()) {
        const { took, size } = await ask(token, pages[index]?.path ?? '')
        sizes.push(size)
        if (round >= 0) times[side]?.[index]?.push(took)
      }
      if (new Set(sizes).size > 1) throw new Error(`${name}: ${sizes.join(' and ')} entries`)
    }
  }
  return times
}

async function ask(token: string, path: string): Promise<{ took: number; size: number }> {
  const headers = { authorization: `Bearer ${token}` }
  const sentAt = performance.now()
  const url = `http://127.0.0.1:${port}/partner-api${path}`
  const answer = await request(url, { headers, dispatcher: agent, signal: tooLong.signal })
  const text = await answer.body.text()
  const took = performance.now() - sentAt
  if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${text}`)
  return { took, size: JSON.parse(text).data.length }
}

/** Adds one more partner. Its credentials have the same secret as those that the benchmark itself uses. */
async function addPartner(db: Database): Promise<{ partnerId: string; token: string }> {
  const known = await findCredential(db, credentials.clientId)
  if (known === undefined) throw new Error('the service has no partner')
  const { secretHash } = known
  const [partnerId, now] = [newId('partner'), new Date()]
  const clientId = `sb_${partnerId}`
  await inTransaction(db, {}, async (tx) => {
    await insertPartner(tx, { partnerId, name: partnerId, now })
    await insertCredential(tx, { clientId, partnerId, secretHash, scopes: ['webhooks:manage'], now })
  })
  const answer = await request(`http://127.0.0.1:${port}/partner-api/Auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...credentials, clientId }),
    dispatcher: agent,
  })
  const { access_token: token } = (await answer.body.json()) as { access_token: string }
  return { partnerId, token }
}

function say(what: string): void {
  console.log(`${seconds().toFixed(0).padStart(4)} s  ${what}`)
}
