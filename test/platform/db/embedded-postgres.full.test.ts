import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from '../../../src/platform/private-postgres/process-life.ts'
import {
  createFolder,
  killServer,
  query,
  startPostgres,
  startPostgresChild,
  temporaryFolder,
} from '../../support/embedded-postgres-fixture.ts'
import { waitFor } from '../../support/wait-for.ts'

// Creating a database is the slow part of a start, so most tests share one DATA_DIR and only stop its server.
const folder = await createFolder()
after(() => rm(folder, { recursive: true, force: true }))

const note = `drop table if exists note; create table note as select 'kept' as text`
const readNote = 'select text from note'
const kept = [{ text: 'kept' }]

test('the first start in an empty folder creates a durable UTF-8 database that listens on no port', async (t) => {
  const folder = await temporaryFolder(t)
  const { embedded } = await startPostgres(t, folder)
  const [found] = await query(
    embedded.connectionString,
    `select current_database() as database, current_setting('server_encoding') as encoding,
     current_setting('fsync') as fsync,
            current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commit,
            current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses,
            current_setting('dynamic_shared_memory_type') as shared_memory,
            current_setting('port') <> '5432' as other_port, lower('ÀÉ') as lower,
            (select datlocale from pg_database where datname = current_database()) as locale`,
  )
  assert.deepEqual(found, {
    database: 'housebill',
    encoding: 'UTF8',
    fsync: 'on',
    pages: 'on',
    commit: 'on',
    checksums: 'on',
    addresses: '',
    shared_memory: 'mmap',
    other_port: true,
    lower: 'àé',
    locale: 'C.UTF-8',
  })
  assert.equal(embedded.dataDirectory, join(folder, 'data', 'postgres', 'cluster'))
  for (const closed of ['cluster', 'socket']) {
    assert.equal((await stat(join(folder, 'data', 'postgres', closed))).mode & 0o777, 0o700)
  }
})

test('a second start on the same DATA_DIR finds the data, and no process is left after a stop', async (t) => {
  const first = await startPostgres(t, folder)
  await query(first.embedded.connectionString, note)
  await Promise.all([first.embedded.stop(), first.embedded.stop()])
  assert.ok(first.embedded.pid !== undefined && !(await isRunning(first.embedded.pid)))

  const second = await startPostgres(t, folder)
  assert.equal(second.embedded.connectionString, first.embedded.connectionString)
  assert.deepEqual(await query(second.embedded.connectionString, readNote), kept)
  assert.notEqual(second.embedded.pid, first.embedded.pid)
})

test('a second process shares the running server, and the last one to exit stops it', async (t) => {
  const starter = await startPostgresChild(t, folder)
  const { embedded } = await startPostgres(t, folder)
  const third = await startPostgresChild(t, folder)
  assert.deepEqual([embedded.pid, third.pid], [starter.pid, starter.pid])

  assert.equal(await third.stop(), 0)
  await query(embedded.connectionString, note)
  assert.equal(await starter.stop(), 0, 'the process that started the server may exit before the others')
  assert.deepEqual(await query(embedded.connectionString, readNote), kept)
  await embedded.stop()
  assert.equal(await isRunning(starter.pid), false)
})

test('if two processes start the server for the first time at once, they share one server', async (t) => {
  const folder = await temporaryFolder(t)
  const [one, other] = await Promise.all([startPostgresChild(t, folder), startPostgresChild(t, folder)])
  assert.equal(one.pid, other.pid)
  assert.deepEqual(await Promise.all([one.stop(), other.stop()]), [0, 0])
  assert.equal(await isRunning(one.pid), false)
})

test('a start requested while the server is stopping waits until it has stopped, then starts a new server', async (t) => {
  let { embedded } = await startPostgres(t, folder)
  await query(embedded.connectionString, note)
  for (let round = 0; round < 3; round++) {
    const stopping = embedded.stop()
    await sleep(round * 10)
    embedded = (await startPostgres(t, folder)).embedded
    await stopping
    assert.deepEqual(await query(embedded.connectionString, readNote), kept)
  }
})

test('after kill -9 of Node alone, the next start takes over the running server and can stop it', async (t) => {
  const child = await startPostgresChild(t, folder)
  await query(child.connectionString, note)
  await child.kill()
  assert.ok(await isRunning(child.pid))

  const { embedded } = await startPostgres(t, folder)
  assert.equal(embedded.pid, child.pid)
  assert.deepEqual(await query(embedded.connectionString, readNote), kept)
  await embedded.stop()
  assert.equal(await isRunning(child.pid), false)
})

test('after kill -9 of Node and every PostgreSQL process, the next start recovers all committed data', async (t) => {
  const child = await startPostgresChild(t, folder)
  await query(child.connectionString, note)
  process.kill(-(child.process.pid ?? Number.NaN), 'SIGKILL')
  await killServer(child.connectionString, child.pid)

  const { embedded } = await startPostgres(t, folder)
  assert.notEqual(embedded.pid, child.pid)
  assert.deepEqual(await query(embedded.connectionString, readNote), kept)
  assert.match(await readFile(join(folder, 'data/postgres/postgres.log'), 'utf8'), /automatic recovery in progress/)
})

test('a stale lock file with a process id that now belongs to another process does not prevent a start', async (t) => {
  const child = await startPostgresChild(t, folder)
  await query(child.connectionString, note)
  await child.kill()
  await killServer(child.connectionString, child.pid)
  const home = join(folder, 'data', 'postgres')
  const { uid, gid } = await stat(join(home, 'cluster'))
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', uid, gid })
  t.after(() => stranger.kill())
  await once(stranger, 'spawn')
  for (const lock of ['cluster/postmaster.pid', 'socket/.s.PGSQL.54320.lock']) {
    const text = await readFile(join(home, lock), 'utf8')
    await writeFile(join(home, lock), text.replace(/^\d+/, String(stranger.pid)))
  }

  const { embedded } = await startPostgres(t, folder)
  assert.deepEqual(await query(embedded.connectionString, readNote), kept)
  assert.equal(stranger.exitCode ?? stranger.signalCode, null, 'the other process still runs')
})

test('a server that dies while in use is restarted under the same connection string', async (t) => {
  const { embedded, logged } = await startPostgres(t, folder)
  await query(embedded.connectionString, note)
  const before = embedded.pid ?? Number.NaN
  await killServer(embedded.connectionString, before)
  await waitFor('a new server runs', () => embedded.pid !== before)
  assert.deepEqual(await query(embedded.connectionString, readNote), kept)
  assert.match(logged.join('\n'), /was lost\. Reconnecting/)
  await embedded.stop()
  assert.ok(embedded.pid !== undefined && !(await isRunning(embedded.pid)))
})

test('a second process never stops a server that serves without its socket: it is rejected with the remedy', async (t) => {
  const child = await startPostgresChild(t, folder)
  await rm(join(folder, 'data', 'postgres', 'socket'), { recursive: true })
  await assert.rejects(startPostgres(t, folder, { patienceMs: 500 }), {
    name: 'EmbeddedPostgresError',
    message: new RegExp(`\\(process ${child.pid}\\) that does not respond on its socket in .*kill -INT ${child.pid}`),
  })
  assert.ok(await isRunning(child.pid))
  assert.equal(await child.stop(), 0)
  assert.equal(await isRunning(child.pid), false)
})

test('a server of another container keeps a second one from starting on the same data', async (t) => {
  const child = await startPostgresChild(t, folder)
  const home = join(folder, 'data', 'postgres')
  const lockFile = join(home, 'cluster', 'postmaster.pid')
  const lock = await readFile(lockFile, 'utf8')
  // Seen from another container, there is no such process, no such shared memory, and nobody behind the socket.
  await rm(join(home, 'socket'), { recursive: true })
  await rm(lockFile)
  const rejected = startPostgres(t, folder, { patienceMs: 500 })
  await assert.rejects(rejected, { name: 'EmbeddedPostgresError', message: /not visible from here.*another container/ })
  const { uid, gid } = await stat(join(home, 'cluster'))
  await writeFile(lockFile, lock, { mode: 0o600 })
  await chown(lockFile, uid, gid)
  assert.ok(await isRunning(child.pid))
  assert.equal(await child.stop(), 0)
})

test('Ctrl-C reaches Housebill but not the server: a running query ends before the server does', async (t) => {
  const child = await startPostgresChild(t, folder)
  const ended = once(child.process, 'exit')
  process.kill(-(child.process.pid ?? Number.NaN), 'SIGINT')
  assert.deepEqual(await ended, [0, null])
  assert.deepEqual(child.lines, ['answer complete'])
  assert.equal(await isRunning(child.pid), false)
})
