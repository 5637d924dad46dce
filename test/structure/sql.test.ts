import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlTemplates } from './sql-templates.ts'
import { allPaths, programFiles, readSource } from './tree.ts'

test('statements are written with the `sql` tag, which makes every value a parameter', () => {
  // These run before the tag's connection exists, or hold a connection of their own.
  const mayWriteText = /^src\/(platform\/(db|private-postgres)\/|webhooks\/engine\/wake-up\.ts$)/
  const elsewhere = programFiles.filter(({ path, text }) => /\.query\(\s*['"`]/.test(text) && !mayWriteText.test(path))
  assert.deepEqual(
    elsewhere.map(({ path }) => path),
    [],
  )
})

test('connections are used by src/platform/db alone; other code gets a scope', () => {
  const elsewhere = programFiles.filter(
    ({ path, text }) => !path.startsWith('src/platform/db/') && /\bdb\.pool\b|\bcreateDatabase\(/.test(text),
  )
  assert.deepEqual(
    elsewhere.map(({ path }) => path),
    [],
  )
})

/**
 * The places where a transaction may be opened: operations, the code that creates the sandbox's partner, and the
 * simulated processor.
 */
function mayOpenTransaction(path: string): boolean {
  return (
    (!/^src\/(platform|app|cli|web)\//.test(path) && !/\.(store|route|job)\.ts$/.test(path)) ||
    path === 'src/platform/db/database.ts' ||
    path === 'src/platform/db/probe-writes.ts' ||
    path === 'src/platform/keys/replace-key.ts' ||
    path === 'src/app/sandbox/sandbox-partner.ts'
  )
}

test('a transaction is opened by an operation and not by a store, a route or the worker', () => {
  const elsewhere = programFiles.filter(
    ({ path, text }) => text.includes('inTransaction(') && !mayOpenTransaction(path),
  )
  assert.deepEqual(
    elsewhere.map(({ path }) => path),
    [],
  )
})

/** The tables whose rows belong to a partner, according to the migrations. */
const ownedTables = new Set(
  allPaths
    .filter((path) => path.startsWith('migrations/'))
    .flatMap((path) => [
      ...readSource(path).text.matchAll(/^create (?:unlogged )?table (\w+) \(\n([\s\S]*?)\n\)[^;]*;/gm),
    ])
    .filter(([, , columns = '']) => /^ {2}partner_id /m.test(columns))
    .map(([, name = '']) => name),
)

/**
 * Functions whose SQL does not name a partner, each with the reason: it covers all partners' rows, or finds the partner
 * itself.
 */
const acrossPartners: Record<string, string> = {
  latestTime: 'the clock of all partners that is furthest ahead',
  dueFor: 'a job looks for the e-mails to tenants of all partners',
  entriesWith: 'a job looks for the e-mails to tenants of all partners',
  retryGivenUpMails: 'the operator has all sent again that a mail server rejected by mistake',
  deleteOldMails: 'removes records of e-mails that are 30 days old',
  deleteExpiredPersonSessions: 'removes the sessions of people that have ended',
  findPersonSession: 'the fragment beside it says whose; the secret finds one session',
  deleteExpiredSessions: 'removes the sessions of tenants that have ended',
  updateAllowedFrom: 'the operator limits a client id',
  lockCredential: 'the operator changes a client id',
  deleteExpiredBroadbandData: 'housekeeping',
  deleteExpiredChecks: 'housekeeping',
  deleteExpiredIdempotencyKeys: 'housekeeping',
  deleteEndedSecrets: 'housekeeping',
  deleteOldRequests: 'housekeeping',
  sumAskedToday: 'the limit of a day covers every partner',
  listMissedCollections: "the processor's list covers every partner",
  lockThenSelect: 'the condition, which the functions above pass in, names the partner',
  findOverlappingQuotes: 'the condition, which its callers pass in, names the partner',
  findWithOverlaps: 'the condition, which its callers pass in, names the partner',
  selectPeople: 'the condition, which the functions above pass in, names the partner or the id of one person',
  selectQuote: 'the condition, which the functions above pass in, names the partner',
  webhooksWithQueuedDeliveries: 'the worker looks for every webhook that something waits for',
  giveUpDeliveries: 'the condition, which its callers pass in, names the partner or the disabled webhooks',
  deleteOldDeliveries: "retention goes over every partner's history",
  deleteDeliveriesAwaitingVerification: "retention goes over every partner's queue",
  assignPositions: 'one feed has the contracts of all partners',
  assignPsrPositions: 'one feed has the customers of all partners',
  listUnmatchedPayments: "the operator's software reads the payments of all partners",
  listFeedRows: "the operator's software reads the contracts of all partners",
  findContractRow: "the operator's software reads the contracts of all partners",
  listVersions: "the operator's software reads the contracts of all partners",
}

test("every statement on a partner's rows names the partner", () => {
  assert.ok(ownedTables.size > 10, 'the tables must be found')
  const found = programFiles
    .filter(({ path }) => path.endsWith('.store.ts'))
    .flatMap(({ path, text }) => sqlTemplates(text).map((template) => ({ path, ...template })))
    .filter(({ text }) => {
      const tables = [...text.matchAll(/\b(?:from|join|update|into)\s+(\w+)/g)].map(([, table = '']) => table)
      return tables.some((table) => ownedTables.has(table)) && !/partner_?id/i.test(text)
    })
  const wrong = found.filter(({ functionName }) => acrossPartners[functionName] === undefined)
  assert.deepEqual(
    wrong.map(({ path, functionName }) => `${path} ${functionName}`),
    [],
  )
  const unused = Object.keys(acrossPartners).filter((name) => !found.some(({ functionName }) => functionName === name))
  assert.deepEqual(unused, [], 'exceptions that are no longer needed')
})
