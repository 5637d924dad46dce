import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { checkConnections } from '../../../src/app/check-connections.ts'
import { createLogger } from '../../../src/app/logger.ts'
import { openDatabase } from '../../../src/app/open-database.ts'
import { buildConfig } from '../../../src/platform/config/config.ts'
import type { Environment } from '../../../src/platform/config/env.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { startOwnCluster } from '../../isolation/own-cluster.ts'

const cluster = await startOwnCluster()
after(() => cluster.stop())
const keys = { ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` }

async function open(environment: Environment) {
  const config = buildConfig({ ...keys, ...environment })
  const secrets = await loadSecrets({ ...keys, ...environment }, config.realm, config.dataDir)
  return openDatabase(config, secrets, createLogger('silent'))
}

const odd = [
  `DateStyle = 'German, DMY'`,
  `IntervalStyle = 'iso_8601'`,
  `TimeZone = 'Asia/Tokyo'`,
  `default_transaction_isolation = 'serializable'`,
  `standard_conforming_strings = 'off'`,
  `bytea_output = 'escape'`,
]

const shown = sql`select now() as now, interval '1 day 02:00' as long, '\\x' as text, '\\x01'::bytea as bytes,
  current_setting('transaction_isolation') as isolation`

test('a database and a login with other settings are given the ones that the service relies on, for good', async () => {
  await cluster.administer('create role odd_owner login createrole')
  for (const name of ['odd_app', 'odd_system']) await cluster.administer(`create role ${name} login`)
  await cluster.createDatabase('odd', 'odd_owner')
  for (const setting of odd) {
    await cluster.administer(`alter database odd set ${setting}`)
    await cluster.administer(`alter role odd_app set ${setting}`)
  }
  const { databases, close } = await open({
    DATABASE_URL: cluster.connectionTo('odd', 'odd_app'),
    DATABASE_SYSTEM_URL: cluster.connectionTo('odd', 'odd_system'),
    DATABASE_OWNER_URL: cluster.connectionTo('odd', 'odd_owner'),
  })
  for (const db of [databases.shared, databases.system]) {
    const [row] = await db.query<Record<string, unknown>>(shown)
    assert.ok(row?.now instanceof Date && Math.abs(Date.now() - row.now.getTime()) < 60_000)
    assert.deepEqual({ ...(row.long as object) }, { days: 1, hours: 2 })
    assert.deepEqual([row.bytes, row.isolation], [Buffer.from([1]), 'read committed'])
  }
  await close()
})

test('settings that the URL brings along stop the start, and the message names the variable and the settings', async () => {
  const { connectionString } = await cluster.createDatabase('given')
  const url = new URL(connectionString)
  url.searchParams.set('options', '-c DateStyle=German')
  await assert.rejects(open({ DATABASE_URL: url.href }), {
    name: 'CommandError',
    message: /^Sessions of the login in DATABASE_URL .* DateStyle is "German, DMY"\./,
  })
})

test("a database with the system's collation stops the start and the check, and the message says how to make it anew", async () => {
  const create = (name: string, locale: string) =>
    cluster.administer(`create database ${name} template template0 encoding 'UTF8' locale_provider ${locale}`)
  await create('sorted', "libc locale 'C.UTF-8'")
  const environment = { DATABASE_URL: cluster.connectionTo('sorted') }
  const message = /The collation of the database in DATABASE_URL is C\.UTF-8: .* locale_provider builtin /
  await assert.rejects(open(environment), { name: 'CommandError', message })
  const config = buildConfig({ ...keys, ...environment })
  const secrets = await loadSecrets({ ...keys, ...environment }, config.realm, config.dataDir)
  const [database] = await checkConnections(config, secrets, { log: createLogger('silent'), problems: [] })
  assert.match(String(database?.failures[0]), message)
  for (const [name, locale] of [
    ['unsorted', "libc locale 'C'"],
    ['built_in', "builtin builtin_locale 'C.UTF-8' locale 'C'"],
  ] as const) {
    await create(name, locale)
    const { close } = await open({ DATABASE_URL: cluster.connectionTo(name) })
    await close()
  }
})

test('URLs that lead to different databases stop the start, and the message names the one that differs', async () => {
  for (const name of ['one', 'two']) await cluster.createDatabase(name)
  await assert.rejects(
    open({
      DATABASE_URL: cluster.connectionTo('one'),
      DATABASE_SYSTEM_URL: cluster.connectionTo('two'),
      DATABASE_OWNER_URL: cluster.connectionTo('one'),
    }),
    { message: /^DATABASE_SYSTEM_URL leads to another database than DATABASE_URL\./ },
  )
})

test('a login that cannot connect is named by its variable', async () => {
  await cluster.createDatabase('named')
  const at = cluster.connectionTo('named')
  const urls = { DATABASE_URL: at, DATABASE_SYSTEM_URL: at, DATABASE_OWNER_URL: at }
  for (const [url, message] of [
    [
      'postgres://u:hidden@127.0.0.1:9/none',
      /^The database cannot be reached \(ECONNREFUSED\)\. Check DATABASE_SYSTEM_URL/,
    ],
    [
      cluster.connectionTo('named', 'nobody_here'),
      /^The database rejected the connection: .*Check DATABASE_SYSTEM_URL/,
    ],
  ] as const)
    await assert.rejects(open({ ...urls, DATABASE_SYSTEM_URL: url }), { message })
})
