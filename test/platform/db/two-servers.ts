import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { programEnvironment, spawnOptionsFor } from '../../../src/platform/private-postgres/run-program.ts'
import { startEmbeddedPostgres } from '../../../src/platform/private-postgres/start-embedded.ts'
import { createFolder, isRoot } from '../../support/embedded-postgres-fixture.ts'
import { waitFor } from '../../support/wait-for.ts'

/** A primary and its synchronous standby, two servers of their own. */
export interface TwoServers {
  /** Names both, the primary first. */
  connectionString: string
  /** Lets every commit from now on wait for the standby with this name; ours is called `two`. */
  waitForStandby(name: 'two' | 'absent'): Promise<void>
  /** Changes a setting of one of them for every session that begins from now on. */
  set(server: 'primary' | 'standby', setting: string, value: string): Promise<void>
  /** Runs a statement on one of them as the superuser, and returns the rows. */
  ask(server: 'primary' | 'standby', statement: string): Promise<Record<string, unknown>[]>
  /** Kills the primary as the loss of its machine would, but for what the kernel still sends. */
  killPrimary(): Promise<void>
  stop(): Promise<void>
}

/** The port is only a part of the sockets' names: nothing listens on TCP. */
const port = 54320

/** The standby begins as a copy of the stopped primary, because the npm package has no `pg_basebackup`. */
export async function startTwoServers(): Promise<TwoServers> {
  const dataDir = await createFolder()
  const created = await startEmbeddedPostgres({ dataDir, log: () => undefined })
  const program = await readlink(`/proc/${created.pid}/exe`)
  await created.stop()
  const home = dirname(created.dataDirectory)
  const { uid, gid } = await stat(created.dataDirectory)
  const owner = isRoot ? { uid, gid } : undefined
  const copy = join(home, 'copy')
  const copied = [join(copy, 'standby.signal')]
  await cp(created.dataDirectory, copy, { recursive: true, filter: (_from, to) => copied.push(to) > 0 })
  await writeFile(join(copy, 'standby.signal'), '')
  await chmod(copy, 0o700)
  if (owner !== undefined) for (const path of copied) await chown(path, uid, gid)

  const started: ChildProcess[] = []
  const start = async (cluster: string, name: string, settings: Record<string, string>) => {
    const folder = join(home, name)
    await mkdir(folder, { mode: 0o700 })
    if (owner !== undefined) await chown(folder, uid, gid)
    const all = {
      listen_addresses: '',
      port: String(port),
      unix_socket_directories: folder,
      fsync: 'off',
      log_min_messages: 'fatal',
      wal_receiver_status_interval: '1s',
      wal_retrieve_retry_interval: '200ms',
      ...settings,
    }
    const args = Object.entries(all).flatMap(([setting, value]) => ['-c', `${setting}=${value}`])
    const child = spawn(program, ['-D', cluster, ...args], {
      cwd: '/',
      env: programEnvironment,
      stdio: 'ignore',
      ...spawnOptionsFor(owner),
    })
    started.push(child)
    return { child, folder }
  }
  const primary = await start(created.dataDirectory, 'one', {})
  const standby = await start(copy, 'two', {
    primary_conninfo: `host=${primary.folder} port=${port} user=housebill application_name=two`,
  })
  const to = (hosts: string) => `postgresql://housebill@localhost:${port}/housebill?host=${hosts}&sslmode=disable`
  const ask: TwoServers['ask'] = async (server, statement) => {
    const client = new Client({ connectionString: to(server === 'primary' ? primary.folder : standby.folder) })
    client.on('error', () => undefined)
    await client.connect()
    return client
      .query(statement)
      .then(({ rows }) => rows)
      .finally(() => client.end())
  }
  const set: TwoServers['set'] = async (server, setting, value) => {
    await ask(server, `alter system set ${setting} = '${value}'`)
    await ask(server, 'select pg_reload_conf()')
    // `pg_reload_conf` returns before the server has read the file.
    const shown = async () => (await ask(server, `show ${setting}`))[0]?.[setting]
    await waitFor(`${setting} is ${value}`, async () => (await shown()) === value)
  }
  const waitForStandby: TwoServers['waitForStandby'] = async (name) => {
    await set('primary', 'synchronous_standby_names', name)
    // The process that sends to the standby reads the setting later than new sessions, and releases commits until then.
    const state = name === 'two' ? 'sync' : 'async'
    const rows = () => ask('primary', `select from pg_stat_replication where sync_state = '${state}'`)
    await waitFor(`the standby is ${state}`, async () => (await rows()).length === 1)
  }
  await waitFor('the standby follows', async () => {
    const rows = await ask('primary', 'select from pg_stat_replication').catch(() => [])
    return rows.length > 0
  })
  await waitForStandby('two')
  return {
    set,
    waitForStandby,
    connectionString: `${to(`${primary.folder},${standby.folder}`)}&target_session_attrs=read-write`,
    ask,
    async killPrimary() {
      const ended = once(primary.child, 'exit')
      primary.child.kill('SIGKILL')
      await ended
    },
    async stop() {
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = once(child, 'exit')
        child.kill('SIGQUIT')
        await ended
      }
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
