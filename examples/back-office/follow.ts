/*
 * A small back office: follows the contract feed of the operator API into a table, and acknowledges what it has stored.
 *
 *   HOUSEBILL_URL=http://localhost:8080 OPERATOR_CLIENT_ID=op_… OPERATOR_CLIENT_SECRET=sk_… npx node examples/back-office/follow.ts back-office.sqlite
 *
 * It may be stopped at any moment, even with kill -9: the cursor is stored in the same transaction as the contracts.
 */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** What this program reads of an entry of the feed. */
interface Entry {
  record: { contractNumber: string; version: number; status: string; effectiveAt: string | null }
}

const { HOUSEBILL_URL: url, OPERATOR_CLIENT_ID: clientId, OPERATOR_CLIENT_SECRET: clientSecret } = process.env
const pauseMs = Number(process.env.PAUSE_MS ?? 5_000)
const db = new DatabaseSync(process.argv[2] ?? 'back-office.sqlite', { timeout: 5_000 })
db.exec(`
  create table if not exists contracts (
    number text primary key, version integer not null, status text not null, record text not null, acknowledged integer not null default 0);
  create table if not exists cursor (only_row integer primary key check (only_row = 1), value text);`)
const readCursor = db.prepare('select value from cursor')
const writeCursor = db.prepare(
  'insert into cursor values (1, ?) on conflict (only_row) do update set value = excluded.value',
)
const store = db.prepare(`
  insert into contracts (number, version, status, record) values (?, ?, ?, ?)
  on conflict (number) do update set version = excluded.version, status = excluded.status, record = excluded.record
   where excluded.version > version`)
const unacknowledged = db.prepare(
  `select number, version from contracts where acknowledged < version and record ->> 'effectiveAt' is not null`,
)
const markAcknowledged = db.prepare('update contracts set acknowledged = ? where number = ?')
let token = ''

for (;;) {
  try {
    const hasMore = await readPage()
    await acknowledge()
    if (!hasMore) await sleep(pauseMs)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}; trying again`)
    await sleep(pauseMs)
  }
}

/** Stores the next page and its cursor together. Returns whether more follows at once. */
async function readPage(): Promise<boolean> {
  const cursor = readCursor.get()?.value
  const { status, body } = await call('GET', typeof cursor === 'string' ? `/Contracts?after=${cursor}` : '/Contracts')
  if (status === 422 && body.code === 'feed_reset') {
    // The service was restored from a backup: read everything again. Older versions than ours are skipped, so forget
    // those too.
    db.exec('begin; delete from contracts; delete from cursor; commit')
    return true
  }
  if (status !== 200) throw new Error(`the feed returned ${status}: ${body.detail}`)
  db.exec('begin')
  for (const { record } of body.data as Entry[])
    store.run(record.contractNumber, record.version, record.status, JSON.stringify(record))
  writeCursor.run(body.nextCursor as string)
  db.exec('commit')
  return body.hasMore === true
}

/** Tells Housebill what is stored. A call that is lost is repeated by the next round, which is harmless. */
async function acknowledge(): Promise<void> {
  for (const { number = null, version = null } of unacknowledged.all()) {
    const reference = `BO-${number}`
    const { status, body } = await call('POST', `/Contracts/${number}/acknowledge`, { version, reference })
    if (status !== 200) throw new Error(`acknowledging ${number} returned ${status}: ${body.detail}`)
    markAcknowledged.run(version, number)
  }
}

async function call(method: string, path: string, sent?: object) {
  for (let isRetry = false; ; isRetry = true) {
    const response = await fetch(`${url}/operator-api${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    })
    if (response.status !== 401 || isRetry)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    // A token is valid for an hour.
    const issued = await fetch(`${url}/operator-api/Auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
    })
    const answer = (await issued.json()) as Record<string, unknown>
    if (issued.status !== 200) throw new Error(`no token: ${answer.error_description}`)
    token = String(answer.access_token)
  }
}
