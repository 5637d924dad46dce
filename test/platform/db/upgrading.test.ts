import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { migrate, planMigrations } from '../../../src/platform/db/migrate.ts'
import { type Migration, migrationOf, readMigrations } from '../../../src/platform/db/newer-version.ts'
import { connectPartner } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { createCompletedQuote } from '../../support/quote-fixtures.ts'
import { succeeded } from '../../support/responses.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'

const service = await startTestService()
after(() => service.stop())
const { connectionString } = service
const partner = await connectPartner(service.baseUrl, service.credentials)
const ours = await readMigrations('sandbox')
const ready = async () => {
  const response = await fetch(`${service.baseUrl}/health/ready`)
  return `${response.status} ${await response.text()}`
}
const applied = async () =>
  (await rawRows(service, 'select name from schema_migrations order by name')).map(({ name }) => name)
const indexes = (name: string) =>
  rawRows(service, `select indisvalid as valid from pg_index where indexrelid = to_regclass($1)`, [name])

const expanding = migrationOf(
  '9001-add-a-column.sql',
  `-- expands: the version before writes no colour
alter table quotes add column colour text;
create table colours (colour text primary key);
insert into colours values ('blue');
`,
)
const indexing = migrationOf(
  '9002-index-it.sql',
  `-- concurrently
-- expands: the version before does not mind an index
create index concurrently quotes_by_colour on quotes (colour, partner_id);
`,
)
const contracting = migrationOf(
  '9003-require-it.sql',
  `update quotes set colour = 'blue' where colour is null;
alter table quotes alter column colour set not null;
`,
)

test('a plan shows what would run and the locks it takes on tables that exist, and changes nothing', async () => {
  const before = await applied()
  const planned = await planMigrations(connectionString, [...ours, expanding, indexing])
  assert.deepEqual(planned, [
    {
      name: expanding.name,
      expands: true,
      isConcurrent: false,
      locks: [{ table: 'quotes', mode: 'AccessExclusiveLock' }],
    },
    {
      name: indexing.name,
      expands: true,
      isConcurrent: true,
      locks: [{ table: 'quotes', mode: 'ShareUpdateExclusiveLock' }],
    },
  ])
  assert.deepEqual(await applied(), before)
  assert.deepEqual(await planMigrations(connectionString, ours), [])
})

test('a plan ends when its migrations together take too long, although none of them does, and changes nothing', async () => {
  const before = await applied()
  const slow = [1, 2, 3].map((n) => migrationOf(`900${n}-slow.sql`, 'select pg_sleep(1.4)'))
  await assert.rejects(
    planMigrations(connectionString, [...ours, ...slow], 3_000),
    /^MigrationError: Migration 900[23]-slow\.sql takes too long to be planned here: plan it on a copy/,
  )
  assert.deepEqual(await applied(), before)
})

test('a migration that fails, or waits for a lock, changes nothing, and the version before goes on serving', async () => {
  const broken = migrationOf('9001-broken.sql', 'alter table quotes add column shade text; select 1 / 0;')
  const next = migrationOf('9002-never-reached.sql', 'create table never_reached (id int);')
  await assert.rejects(
    migrate(connectionString, [...ours, broken, next]),
    /^MigrationError: Migration 9001-broken\.sql failed: division by zero/,
  )
  const blocker = new Client({ connectionString })
  await blocker.connect()
  await blocker.query('begin; lock table quotes in access share mode')
  try {
    await assert.rejects(
      migrate(connectionString, [...ours, expanding]),
      /^MigrationError: Migration 9001-add-a-column\.sql waited 2s for a lock .* run it again/,
    )
    await assert.rejects(
      planMigrations(connectionString, [...ours, expanding]),
      /^MigrationError: Migration 9001-add-a-column\.sql waited 2s for a lock .* run it again/,
      'and a plan says the same, not that the table is too large',
    )
  } finally {
    await blocker.end()
  }
  assert.deepEqual(
    await applied(),
    ours.map(({ name }) => name),
  )
  await createCompletedQuote(partner)
  assert.equal(await ready(), '200 {"status":"ready"}')
})

test('the version before serves the schema that a migration expands, also while several processes migrate at once', async () => {
  const both = [...ours, expanding, indexing]
  const [one, other] = await Promise.all([migrate(connectionString, both), migrate(connectionString, both)])
  assert.deepEqual([...one, ...other], [expanding.name, indexing.name])
  assert.deepEqual(await indexes('quotes_by_colour'), [{ valid: true }])
  // It looks every two seconds.
  await rawRows(service, 'select pg_sleep(5)')
  assert.equal(await ready(), '200 {"status":"ready"}')
  const { quoteId } = await createCompletedQuote(partner)
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).status, 'completed')
  assert.deepEqual(await migrate(connectionString, ours), [], 'it can also be started again')
})

test('an index that could not be built is not valid, and the next run builds it again', async () => {
  await rawRows(service, `update quotes set colour = 'blue'`)
  const unique: Migration = migrationOf(
    '9003-one-of-each.sql',
    '-- concurrently\ncreate unique index concurrently one_of_each on colours ((length(colour)));\n',
  )
  await rawRows(service, `insert into colours values ('grey')`)
  const all = [...ours, expanding, indexing, unique]
  await assert.rejects(
    migrate(connectionString, all),
    /Migration 9003-one-of-each\.sql failed: could not create unique/,
  )
  assert.deepEqual(await indexes('one_of_each'), [{ valid: false }])
  await rawRows(service, `delete from colours where colour = 'grey'`)
  assert.deepEqual(await migrate(connectionString, all), [unique.name])
  assert.deepEqual(await indexes('one_of_each'), [{ valid: true }])
  const more = migrationOf('9004-two.sql', '-- concurrently\ncreate table a (b int); create table b (b int);')
  await assert.rejects(migrate(connectionString, [...all, more]), /may only have one statement, "create index concur/)
  await rawRows(service, `delete from schema_migrations where name = $1`, [unique.name])
})

test('a migration that does not only expand stops the work of the version before', async () => {
  assert.deepEqual(await migrate(connectionString, [...ours, expanding, indexing, contracting]), [contracting.name])
  await waitFor('the process is not ready', ready, (found) => found.startsWith('503'))
  assert.equal(await ready(), '503 {"status":"database is newer than this version"}')
  await assert.rejects(migrate(connectionString, ours), /The database has the migration 9003-require-it\.sql, which/)
})
