import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogger } from '../../src/app/logger.ts'
import { openDatabase } from '../../src/app/open-database.ts'
import { buildConfig } from '../../src/platform/config/config.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { startOwnCluster } from './own-cluster.ts'

const cluster = await startOwnCluster()
after(() => cluster.stop())
await cluster.administer('create role plain_owner login')
await cluster.administer('create role plain_login login')
await cluster.createDatabase('sound')
const sound = cluster.connectionTo('sound')

/** Opens the database in the same way as the service and every command, then closes it. */
async function open(databaseUrl: string, separate?: { system: string; owner: string }): Promise<void> {
  const environment = {
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    ...(separate === undefined ? {} : { DATABASE_SYSTEM_URL: separate.system, DATABASE_OWNER_URL: separate.owner }),
  }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  await (await openDatabase(config, secrets, createLogger('silent'))).close()
}

test('a database in the state that the migrations produce is accepted, however often it is opened', async () => {
  await open(sound)
  await open(sound)
  await Promise.all([open(sound), open(sound), open(sound)])
})

const isolation = (message: RegExp) => ({ name: 'IsolationError', message })

test('a login that would get around row-level security stops the start, and the message names its variable', async () => {
  await cluster.administer('create role system_login login')
  const separate = { system: cluster.connectionTo('sound', 'system_login'), owner: sound }
  const login = cluster.connectionTo('sound', 'plain_login')
  await open(login, separate)
  const rejected = isolation(/^The user of DATABASE_URL, \w+, could see other partners' rows.+Set DATABASE_URL/)
  await assert.rejects(open(sound, separate), rejected, 'a superuser')
  await assert.rejects(open(sound, separate), isolation(/ DATABASE_URL and DATABASE_OWNER_URL may be swapped\.$/))
  for (const [spoil, mend] of [
    ['alter role plain_login bypassrls', 'alter role plain_login nobypassrls'],
    ['grant housebill to plain_login', 'revoke housebill from plain_login'],
    ['grant system_login to plain_login', 'revoke system_login from plain_login'],
  ] as const) {
    await cluster.administer(spoil)
    await assert.rejects(open(login, separate), rejected, spoil)
    await cluster.administer(mend)
  }
  await cluster.administer('alter role system_login superuser')
  await assert.rejects(open(login, separate), isolation(/The user of DATABASE_SYSTEM_URL, system_login/))
  await cluster.administer('alter role system_login nosuperuser')
  await open(login, separate)
  await assert.rejects(
    open(separate.system, { ...separate, system: login }),
    isolation(/ DATABASE_URL and DATABASE_SYSTEM_URL may be swapped\.$/),
  )
})

test('if the owner may not grant the roles, startup names the statements to run, and succeeds once they have been run', async () => {
  await cluster.createDatabase('plain', 'plain_owner')
  const owner = cluster.connectionTo('plain', 'plain_owner')
  let remedy = ''
  await assert.rejects(open(owner), (error: Error) => {
    remedy = /leaving out what already exists: (.+)$/.exec(error.message)?.[1] ?? ''
    return error.name === 'MigrationError'
  })
  const grant = /grant .+$/.exec(remedy)?.[0] ?? ''
  assert.match(remedy, /^create role housebill_app nologin; create role housebill_system nologin; grant /)
  await cluster.administer(grant)
  await open(owner)
})
