import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { type Distribution, findDistribution } from '../../../src/platform/private-postgres/distribution.ts'
import { EmbeddedPostgresError } from '../../../src/platform/private-postgres/embedded-postgres-error.ts'
import { canEnter, findUnprivilegedUser } from '../../../src/platform/private-postgres/server-user.ts'
import { createFolder, isRoot, query, startPostgres, temporaryFolder } from '../../support/embedded-postgres-fixture.ts'

// Shared by the tests that work with any database, because creating one is the slow part of a start.
const shared = await createFolder()
after(() => rm(shared, { recursive: true, force: true }))

const note = `create table note as select 'kept' as text`
const readNote = 'select text from note'
const kept = [{ text: 'kept' }]

/** The PostgreSQL programs in a folder that is laid out like the npm package. */
function distributionIn(packageFolder: string): Distribution {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  return { folder: join(packageFolder, 'native'), version }
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

/** Matches an EmbeddedPostgresError whose message matches all these patterns. */
function saying(...patterns: RegExp[]) {
  return (error: unknown) => {
    assert.ok(error instanceof EmbeddedPostgresError, String(error))
    for (const pattern of patterns) assert.match(error.message, pattern)
    return true
  }
}

test('a DATA_DIR closed to others works and keeps its data; it is made traversable only if root starts the server', async (t) => {
  const folder = await temporaryFolder(t)
  const dataDir = join(folder, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  const first = await startPostgres(t, folder)
  await query(first.embedded.connectionString, note)
  await first.embedded.stop()
  assert.equal(first.embedded.dataDirectory, join(dataDir, 'postgres', 'cluster'))
  assert.equal(await modeOf(dataDir), isRoot ? 0o701 : 0o700)
  assert.equal(first.logged.join('\n').includes(`Gave all users permission to traverse ${dataDir}`), isRoot)

  await chmod(dataDir, 0o700)
  const second = await startPostgres(t, folder)
  assert.deepEqual(await query(second.embedded.connectionString, readNote), kept)
})

test('a checkout in a private home folder works; if root runs it, data and programs go to the system folder and stay there', async (t) => {
  const folder = await temporaryFolder(t)
  const home = join(folder, 'home')
  const dataDir = join(home, 'checkout', 'data')
  await mkdir(home, { mode: 0o700 })
  await symlink(dirname(findDistribution().folder), join(home, 'package'))
  const distribution = () => distributionIn(join(home, 'package'))
  const first = await startPostgres(t, folder, { dataDir, distribution })
  await query(first.embedded.connectionString, note)
  await first.embedded.stop()
  assert.equal(await modeOf(home), 0o700, 'the home folder stays private')
  if (isRoot) {
    assert.equal(dirname(dirname(first.embedded.dataDirectory)), join(folder, 'system'))
    assert.match(
      first.logged.join('\n'),
      /The database is in .*, because PostgreSQL cannot run as root .* a folder above .* does not allow access/,
    )
    assert.deepEqual(await readdir(dataDir), ['postgres-location'])
  } else {
    assert.equal(first.embedded.dataDirectory, join(dataDir, 'postgres', 'cluster'))
  }

  // The data stays in the system folder even after DATA_DIR has become reachable.
  await chmod(home, 0o711)
  const second = await startPostgres(t, folder, { dataDir })
  assert.deepEqual(await query(second.embedded.connectionString, readNote), kept)
  await second.embedded.stop()
  if (!isRoot) return
  await rm(join(folder, 'system'), { recursive: true })
  await assert.rejects(
    startPostgres(t, folder, { dataDir }),
    saying(/postgres-location says that the database is in/, /does not exist\. Restore that folder, or delete/),
  )
})

test('existing data is never replaced by an empty database, even if a folder above it becomes inaccessible', async (t) => {
  const folder = await temporaryFolder(t)
  const home = join(folder, 'home')
  const dataDir = join(home, 'data')
  await mkdir(home)
  await chmod(home, 0o711)
  const first = await startPostgres(t, folder, { dataDir })
  await query(first.embedded.connectionString, note)
  await first.embedded.stop()
  await chmod(home, 0o700)
  if (isRoot) {
    await assert.rejects(startPostgres(t, folder, { dataDir }), saying(/cannot reach/, /chmod o\+x/, /DATABASE_URL/))
    await chmod(home, 0o711)
  }
  const { embedded } = await startPostgres(t, folder, { dataDir })
  assert.deepEqual(await query(embedded.connectionString, readNote), kept)
})

test('programs run even from a folder that only its owner can enter: root copies them next to the data; an ordinary user runs them in place', async (t) => {
  const folder = await temporaryFolder(t)
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o700 })
  await symlink(dirname(findDistribution().folder), join(closed, 'package'))
  const { embedded, logged } = await startPostgres(t, folder, {
    distribution: () => distributionIn(join(closed, 'package')),
  })
  await query(embedded.connectionString, note)
  const programs = join(folder, 'data', 'postgres', 'programs')
  if (isRoot) {
    const [version = ''] = await readdir(programs)
    assert.match(
      logged.join('\n'),
      /Copied the PostgreSQL programs to .*, because the user \w+ has no permission to run the programs in/,
    )
    assert.equal(await modeOf(join(programs, version, 'bin', 'postgres')), 0o755)
  } else {
    await assert.rejects(readdir(programs), { code: 'ENOENT' })
  }
})

test('if npm could not finish installing the programs under a strict umask, they run from a copy that is made once', async (t) => {
  const folder = await temporaryFolder(t)
  const installed = join(folder, 'package')
  const original = dirname(findDistribution().folder)
  const links = JSON.parse(await readFile(join(original, 'native', 'pg-symlinks.json'), 'utf8')) as { target: string }[]
  const missing = new Set(links.map((link) => join(original, link.target)))
  await cp(original, installed, { recursive: true, verbatimSymlinks: true, filter: (path) => !missing.has(path) })
  for (const path of await readdir(join(installed, 'native', 'bin')))
    await chmod(join(installed, 'native', 'bin', path), 0o600)
  const distribution = () => distributionIn(installed)

  const first = await startPostgres(t, folder, { distribution })
  await query(first.embedded.connectionString, note)
  await first.embedded.stop()
  assert.match(first.logged.join('\n'), /npm was not allowed to finish/)
  const second = await startPostgres(t, folder, { distribution })
  assert.deepEqual(await query(second.embedded.connectionString, readNote), kept)
  assert.doesNotMatch(second.logged.join('\n'), /Copied/)
  assert.equal(await modeOf(join(installed, 'native', 'bin', 'postgres')), 0o600, 'the installation is not changed')
})

test('a DATA_DIR whose path is too long for a socket and contains a comma, a quote and a space works', async (t) => {
  const folder = await temporaryFolder(t)
  const dataDir = join(folder, 'an "odd", name é', 'd'.repeat(90))
  const { embedded } = await startPostgres(t, folder, { dataDir })
  const socketFolder = new URL(embedded.connectionString).searchParams.get('host') ?? ''
  t.after(() => rm(socketFolder, { recursive: true, force: true }))
  assert.ok(socketFolder.startsWith('/tmp/housebill-'))
  assert.equal(await modeOf(socketFolder), 0o700)
  await query(embedded.connectionString, note)
  assert.deepEqual(await query(embedded.connectionString, readNote), kept)
})

test('other users of the machine cannot reach the socket or the data', async (t) => {
  const folder = shared
  const { embedded } = await startPostgres(t, folder)
  const socketFolder = join(folder, 'data', 'postgres', 'socket')
  const [found] = await query(
    embedded.connectionString,
    `select current_setting('unix_socket_permissions') as permissions`,
  )
  assert.deepEqual(found, { permissions: '0700' })
  for (const closed of [socketFolder, embedded.dataDirectory]) assert.equal(await modeOf(closed), 0o700)
  if (!isRoot) return
  const server = await findUnprivilegedUser()
  assert.equal(await canEnter(server, socketFolder), true)
  assert.equal(await canEnter({ ...server, uid: server.uid + 1, gid: server.gid + 1 }, socketFolder), false)
})

test('the PostgreSQL log contains no values from statements and does not grow without limit', async (t) => {
  const folder = shared
  const log = join(folder, 'data', 'postgres', 'postgres.log')
  const first = await startPostgres(t, folder)
  const { connectionString } = first.embedded
  await query(
    connectionString,
    'create table person (email text primary key)',
    `insert into person values ('mia@example.org')`,
  )
  await assert.rejects(query(connectionString, `insert into person values ('mia@example.org')`), /duplicate key/)
  await assert.rejects(query(connectionString, `select 'mia@example.org'::date`), /invalid input syntax/)
  await first.embedded.stop()
  const text = await readFile(log, 'utf8')
  assert.match(text, /database system is ready to accept connections/)
  assert.doesNotMatch(text, /mia/)

  await writeFile(log, 'x'.repeat(5_000_001), { flag: 'a' })
  const second = await startPostgres(t, folder)
  await second.embedded.stop()
  assert.ok((await stat(log)).size < 100_000)
  assert.ok((await stat(`${log}.1`)).size > 5_000_000)
})

test('if PostgreSQL cannot start, the error gives the reason and the remedy', async (t) => {
  await t.test('data of a different PostgreSQL version, or a broken configuration', async (t) => {
    const folder = shared
    const cluster = join(folder, 'data', 'postgres', 'cluster')
    await (await startPostgres(t, folder)).embedded.stop()
    await writeFile(join(cluster, 'PG_VERSION'), '17\n')
    await assert.rejects(
      startPostgres(t, folder),
      saying(/was created by PostgreSQL 17, but this version of Housebill has PostgreSQL 18/, /pg_dump.*DATABASE_URL/),
    )
    await writeFile(join(cluster, 'PG_VERSION'), '18\n')
    await writeFile(join(cluster, 'pg_hba.conf'), 'local all all reject\n')
    await assert.rejects(
      startPostgres(t, folder),
      saying(/is running, but rejects the connection/, /pg_hba\.conf rejects connection/),
    )
    await assert.rejects(stat(join(cluster, 'postmaster.pid')), { code: 'ENOENT' }, 'the server was stopped')
    await writeFile(join(cluster, 'postgresql.conf'), 'shared_buffers = nonsense\n')
    await assert.rejects(startPostgres(t, folder), saying(/does not start/, /DATABASE_URL/, /shared_buffers.*nonsense/))
  })
  await t.test('a folder that is not a database', async (t) => {
    const folder = await temporaryFolder(t)
    await mkdir(join(folder, 'data', 'postgres', 'cluster', 'holiday-pictures'), { recursive: true })
    if (isRoot) await chown(join(folder, 'data', 'postgres', 'cluster'), 65534, 65534)
    await assert.rejects(startPostgres(t, folder), saying(/are not a PostgreSQL database\. Move them away/))
    assert.deepEqual(await readdir(join(folder, 'data', 'postgres')), ['cluster'])
  })
  await t.test('a DATA_DIR that is a file', async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'data'), '')
    await assert.rejects(startPostgres(t, folder), saying(/a file has the same name\. Set DATA_DIR to a folder/))
  })
  // Root can write anywhere.
  if (!isRoot) {
    await t.test('a DATA_DIR that cannot be written to', async (t) => {
      const folder = await temporaryFolder(t)
      await mkdir(join(folder, 'data'), { mode: 0o500 })
      await assert.rejects(startPostgres(t, folder), saying(/cannot be written/, /DATA_DIR/, /DATABASE_URL/))
    })
  }
  await t.test('a platform without PostgreSQL programs', () => {
    assert.throws(
      () => findDistribution('linux', 'riscv64'),
      saying(/@embedded-postgres\/linux-riscv64 is not installed/, /DATABASE_URL/),
    )
    assert.throws(() => findDistribution('win32', 'x64'), saying(/not on win32/, /DATABASE_URL/))
  })
})
