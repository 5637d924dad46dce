import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLogger } from '../../src/compose/logger.ts'
import { openDatabase } from '../../src/compose/open-database.ts'
import { buildConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import { startTestService } from '../support/service.ts'
import { startOwnCluster } from './own-cluster.ts'

const cluster = await startOwnCluster()
after(() => cluster.stop())
await cluster.administer('create role plain_owner login')
await cluster.administer('create role plain_login login')
await cluster.createDatabase('sound')
const sound = cluster.connectionTo('sound')

/** Opens the database in the same way as the service and every command, then closes it. */
async function open(
  databaseUrl: string,
  separate?: { system: string; operator: string; owner: string },
): Promise<void> {
  const environment = {
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    ...(separate === undefined
      ? {}
      : {
          DATABASE_SYSTEM_URL: separate.system,
          DATABASE_OPERATOR_URL: separate.operator,
          DATABASE_OWNER_URL: separate.owner,
        }),
  }
  const config = buildConfig(environment)
  const secrets = await loadSecrets(environment, config.realm, config.dataDir)
  await (await openDatabase(config, secrets, createLogger('silent'))).close()
}

const isolation = (message: RegExp) => ({ name: 'IsolationError', message })

test('a database in the state that the migrations produce is accepted, however often it is opened', async () => {
  await open(sound)
  await open(sound)
  await Promise.all([open(sound), open(sound), open(sound)])
})

const spoilt: [what: string, spoil: string, mend: string, message: RegExp][] = [
  [
    'a table whose row-level security is not forced',
    'alter table quotes no force row level security',
    'alter table quotes force row level security',
    /public\.quotes has no forced.+ALTER TABLE public\.quotes ENABLE ROW LEVEL SECURITY, FORCE/,
  ],
  [
    'a table whose row-level security is off',
    'alter table customers disable row level security',
    'alter table customers enable row level security',
    /public\.customers has no forced/,
  ],
  [
    "a new table with partners' rows and nothing else",
    'create table extra (partner_id text); create table simulated_processor.extra (partner_id text)',
    'drop table extra, simulated_processor.extra',
    /public\.extra has no forced.+simulated_processor\.extra has no forced/,
  ],
  [
    'a runtime role that bypasses row-level security',
    'alter role housebill_app bypassrls',
    'alter role housebill_app nobypassrls',
    /role housebill_app bypasses row-level security.+NOBYPASSRLS/,
  ],
  [
    'a runtime role that may copy the whole cluster',
    'alter role housebill_operator replication',
    'alter role housebill_operator noreplication',
    /role housebill_operator bypasses row-level security.+NOREPLICATION/,
  ],
  [
    "a runtime role that may read the server's files",
    'grant pg_read_server_files to housebill_system',
    'revoke pg_read_server_files from housebill_system',
    /role housebill_system bypasses row-level security or may become a role that does/,
  ],
  [
    'a runtime role that may empty a table, to which no policy applies',
    'grant truncate on customers to housebill_app',
    'revoke truncate on customers from housebill_app',
    /role housebill_app may empty tables, whatever their policies: REVOKE TRUNCATE ON ALL TABLES IN SCHEMA public FROM housebill_app/,
  ],
  [
    'a runtime role that is a superuser',
    'alter role housebill_system superuser',
    'alter role housebill_system nosuperuser',
    /role housebill_system is a superuser/,
  ],
  [
    'a runtime role that owns a table',
    'alter table quotes owner to housebill_system',
    'alter table quotes owner to housebill',
    /role housebill_system owns tables/,
  ],
  [
    'a runtime role that may become the owner',
    'alter table quotes owner to plain_owner; grant plain_owner to housebill_app',
    'alter table quotes owner to housebill; revoke plain_owner from housebill_app',
    /role housebill_app owns tables or may become their owner/,
  ],
  [
    'a policy that shows a partner every row of a table',
    'create policy "all of it" on quotes to housebill_app using (true)',
    'drop policy "all of it" on quotes',
    /policy "all of it" on public\.quotes gives housebill_app access beyond.+DROP POLICY "all of it" ON public\.quotes/,
  ],
  [
    "a policy that takes rows in another partner's name",
    'create policy wide on events for insert to housebill_app with check (true)',
    'drop policy wide on events',
    /policy wide on public\.events gives housebill_app access/,
  ],
  [
    'a policy for everybody, whatever its condition',
    `create policy any_role on customers using (partner_id = (select proof.partner()))`,
    'drop policy any_role on customers',
    /policy any_role on public\.customers gives everybody access/,
  ],
  [
    'a runtime role that may read the key of proofs',
    'grant select on proof.keys to housebill_system',
    'revoke select on proof.keys from housebill_system',
    /role housebill_system may read or change the key of proofs: REVOKE ALL ON proof\.keys FROM housebill_system/,
  ],
  [
    'a runtime role that may write audit entries directly',
    'grant insert on audit_log to housebill_app',
    'revoke insert on audit_log from housebill_app',
    /role housebill_app may write audit entries as it likes: REVOKE INSERT ON audit_log FROM housebill_app/,
  ],
  [
    "a runtime role that may call the owner's functions",
    'grant execute on function proof.origin() to housebill_app',
    'revoke execute on function proof.origin() from housebill_app',
    /role housebill_app may call functions that are for the owner/,
  ],
  [
    'a runtime role that may create tables',
    'grant create on schema public to housebill_system',
    'revoke create on schema public from housebill_system',
    /role housebill_system may create tables and functions/,
  ],
  [
    'a role for one partner that may assume the role for all partners',
    'grant housebill_system to housebill_app',
    'revoke housebill_system from housebill_app',
    /role housebill_app may become housebill_system: REVOKE housebill_system FROM housebill_app/,
  ],
]

for (const [what, spoil, mend, message] of spoilt) {
  test(`${what} prevents startup and is named in the error; once it is fixed, the service starts`, async () => {
    await cluster.administer(spoil, 'sound')
    await assert.rejects(open(sound), isolation(message))
    await cluster.administer(mend, 'sound')
    await open(sound)
  })
}

test('if there are several problems, the service does not start and names all of them at once', async () => {
  const database = await cluster.createDatabase('spoilt')
  await open(database.connectionString)
  await cluster.administer(
    'alter table quotes no force row level security; create table extra (partner_id text)',
    'spoilt',
  )
  const starting = startTestService({ DATABASE_URL: database.connectionString }, { database })
  await assert.rejects(starting, isolation(/public\.extra.+public\.quotes/))
})

test('separate logins with powers of their own are rejected, and the error gives the remedy', async () => {
  await cluster.administer('create role system_login login; create role operator_login login')
  const system = cluster.connectionTo('sound', 'system_login')
  const separate = { system, operator: cluster.connectionTo('sound', 'operator_login'), owner: sound }
  await assert.rejects(
    open(sound, separate),
    isolation(/The user of DATABASE_URL, housebill, is a superuser.+Set DATABASE_URL/),
  )
  await cluster.administer('alter role plain_login bypassrls')
  const login = cluster.connectionTo('sound', 'plain_login')
  await assert.rejects(open(login, separate), isolation(/The user of DATABASE_URL, plain_login, bypasses/))
  await cluster.administer('alter role plain_login nobypassrls; grant housebill to plain_login')
  await assert.rejects(open(login, separate), isolation(/plain_login, (is a superuser or may become one|owns tables)/))
  await cluster.administer('revoke housebill from plain_login; grant system_login to plain_login')
  await assert.rejects(
    open(login, separate),
    isolation(/role plain_login may become system_login: REVOKE system_login FROM plain_login/),
  )
  await cluster.administer('revoke system_login from plain_login; alter role system_login superuser')
  await assert.rejects(
    open(login, separate),
    isolation(/The user of DATABASE_SYSTEM_URL, system_login, is a superuser/),
  )
  await cluster.administer('alter role system_login nosuperuser')
  await open(login, separate)
  await assert.rejects(open(login, { ...separate, system: login }), isolation(/plain_login may become/))
  await assert.rejects(open(login, { ...separate, operator: system }), isolation(/system_login may become/))
})

test('temporary tables are forbidden again at every start', async () => {
  await cluster.administer('grant temporary on database sound to public')
  const logins = {
    system: cluster.connectionTo('sound', 'system_login'),
    operator: cluster.connectionTo('sound', 'operator_login'),
    owner: sound,
  }
  await open(cluster.connectionTo('sound', 'plain_login'), logins)
  await cluster.administer('grant temporary on database sound to plain_login')
  await assert.rejects(
    open(cluster.connectionTo('sound', 'plain_login'), logins),
    isolation(/plain_login may create temporary tables: REVOKE TEMPORARY ON DATABASE sound FROM PUBLIC, plain_login/),
  )
  await cluster.administer('revoke temporary on database sound from plain_login')
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
  assert.match(
    remedy,
    /^create role housebill_app nologin; create role housebill_system nologin; create role housebill_operator nologin; grant /,
  )
  await cluster.administer(grant)
  await open(owner)
})
