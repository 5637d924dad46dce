import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chown, mkdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { findFreePort, stopProcess } from '../bench/child-service.ts'
import { processTree } from '../bench/process-tree.ts'
import { programEnvironment, runProgram, spawnOptionsFor } from '../src/platform/private-postgres/run-program.ts'
import { runsAsRoot } from '../src/platform/private-postgres/server-user.ts'
import { startEmbeddedPostgres } from '../src/platform/private-postgres/start-embedded.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Drill, startProgram } from './drill.ts'

/*
 * A primary and a synchronous standby behind HAProxy, as docs/configuration.md ("Losing the database's machine") describes
 * them, with the file of deploy/ha/. The npm package has no `pg_basebackup` and no `pg_rewind`, which Patroni needs. So this
 * file plays Patroni: it answers HAProxy, promotes the standby, and copies the primary for a server that comes back.
 */

/** The two databases, of which one is the primary at a time. */
export interface TwoDatabases {
  /** Leads to the primary through HAProxy. */
  proxyUrl: string
  /** Names both. */
  hostsUrl: string
  /** Connects to the server that is the primary now. */
  primaryUrl(): string
  /** Kills the primary and what stands for its Patroni, as the loss of the machine would. */
  killPrimary(): Promise<void>
  /** Makes the standby the primary. It does not wait for a standby then. */
  promote(): Promise<void>
  /** Starts the server that was killed as a standby, and waits until commits wait for it. */
  rejoin(): Promise<void>
  /** The longest that Patroni waits until it promotes the standby. */
  ttlMs: number
}

interface Node {
  name: string
  port: number
  /** Where HAProxy asks whether this is the primary. */
  patroniPort: number
  folder: string
  server?: ChildProcess
  isAnswering: boolean
}

const ha = fileURLToPath(new URL('../deploy/ha/', import.meta.url))
const login = 'housebill'

export async function startTwoDatabases(drill: Drill): Promise<TwoDatabases> {
  const created = await startEmbeddedPostgres({ dataDir: drill.folder, log: () => undefined })
  const program = await readlink(`/proc/${created.pid}/exe`)
  await created.stop()
  const home = dirname(created.dataDirectory)
  const { uid, gid } = await stat(created.dataDirectory)
  const owner = runsAsRoot() ? { uid, gid } : undefined
  const hba = join(home, 'pg_hba.conf')
  await writeFile(hba, `host all,replication ${login} 127.0.0.1/32 trust\n`)

  const node = async (name: string, folder: string): Promise<Node> => ({
    name,
    port: await findFreePort(),
    patroniPort: await findFreePort(),
    folder,
    isAnswering: true,
  })
  let primary = await node('one', created.dataDirectory)
  let standby = await node('two', join(home, 'two'))
  const nodes = [primary, standby]
  const urlOf = (hosts: readonly Node[]) =>
    `postgresql://${login}@${hosts.map(({ port }) => `127.0.0.1:${port}`).join(',')}/housebill?sslmode=disable`
  const ask = (at: Node, statement: string) => withClient(urlOf([at]), (client) => client.query(statement))

  const start = (at: Node, follows?: Node) => {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(at.port),
      unix_socket_directories: '',
      hba_file: hba,
      max_connections: '200',
      wal_keep_size: '1GB',
      wal_receiver_status_interval: '1s',
      ...(follows && {
        primary_conninfo: `host=127.0.0.1 port=${follows.port} user=${login} application_name=${at.name}`,
      }),
    }
    const output = openSync(join(drill.folder, `${at.name}.log`), 'a')
    at.server = spawn(
      program,
      ['-D', at.folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { cwd: '/', env: programEnvironment, stdio: ['ignore', output, output], ...spawnOptionsFor(owner) },
    )
    closeSync(output)
    const { server } = at
    drill.atEnd(async () => {
      // Fast shutdown: it does not wait for the service, which is stopped before.
      if (server.exitCode === null) server.kill('SIGINT')
      await stopProcess(server)
    })
  }

  const waitForStandby = async (names: string) => {
    await ask(primary, `alter system set synchronous_standby_names = '${names}'`)
    await ask(primary, 'select pg_reload_conf()')
  }

  const rejoin = async () => {
    await rm(standby.folder, { recursive: true, force: true })
    await mkdir(standby.folder, { mode: 0o700 })
    const label = await withClient(urlOf([primary]), async (client) => {
      await client.query(`select pg_backup_start('drill', fast => true)`)
      // Files come and go while they are copied; the log that the standby replays makes up for it.
      const left = ['pg_wal/*', 'pg_dynshmem/*', 'pg_replslot/*', 'postmaster.*', 'standby.signal', 'backup_label*']
      const copy = `tar -C "$1" ${left.map((path) => `--exclude='./${path}'`).join(' ')} -cf - . | tar -C "$2" -xpf -`
      const { status, output } = await runProgram('/bin/sh', ['-c', copy, 'sh', primary.folder, standby.folder])
      if (status !== 0) throw new Error(output)
      const { rows } = await client.query<{ label: string }>(
        'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
      )
      return rows[0]?.label ?? ''
    })
    for (const [name, text] of Object.entries({ backup_label: label, 'standby.signal': '' })) {
      await writeFile(join(standby.folder, name), text)
      if (owner !== undefined) await chown(join(standby.folder, name), uid, gid)
    }
    if (owner !== undefined) await chown(standby.folder, uid, gid)
    start(standby, primary)
    standby.isAnswering = true
    await waitForStandby(`ANY 1 (${standby.name})`)
    await waitFor('commits wait for the standby', async () => {
      const { rows } = await ask(primary, `select from pg_stat_replication where sync_state = 'quorum'`)
      return rows.length > 0
    })
  }

  for (const each of nodes) await answerForPatroni(drill, each, urlOf([each]))
  start(primary)
  await waitFor('the primary accepts connections', () =>
    ask(primary, 'select').then(
      () => true,
      () => false,
    ),
  )
  await rejoin()
  return {
    proxyUrl: `postgresql://${login}@127.0.0.1:${await startProxy(drill, nodes)}/housebill?sslmode=disable&target_session_attrs=read-write`,
    hostsUrl: `${urlOf(nodes)}&target_session_attrs=read-write`,
    primaryUrl: () => urlOf([primary]),
    ttlMs: 1_000 * Number(/ ttl: (\d+)/.exec(await readFile(join(ha, 'patroni.yml'), 'utf8'))?.[1]),
    async killPrimary() {
      const { server } = primary
      if (server?.pid === undefined) throw new Error('the primary does not run')
      const ended = once(server, 'exit')
      primary.isAnswering = false
      // Its main process first, which would otherwise restart the others.
      for (const id of processTree(server.pid)) killIfThere(id)
      await ended
    },
    async promote() {
      await ask(standby, 'select pg_promote()')
      ;[primary, standby] = [standby, primary]
    },
    rejoin,
  }
}

function killIfThere(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, application_name: 'drill' })
  // Also emitted when the server is killed.
  client.on('error', () => undefined)
  await client.connect()
  return work(client).finally(() => client.end())
}

/** Answers HAProxy as the node's Patroni would: 200 if the server is the primary. */
async function answerForPatroni(drill: Drill, node: Node, url: string): Promise<void> {
  const isPrimary = () =>
    withClient(url, (client) => client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')).then(
      ({ rows }) => rows[0]?.standby === false,
      () => false,
    )
  const server = createServer((request, response) => {
    if (!node.isAnswering) return void request.socket.destroy()
    isPrimary().then((is) => response.writeHead(is ? 200 : 503).end())
  })
  server.listen(node.patroniPort, '127.0.0.1')
  await once(server, 'listening')
  drill.atEnd(async () => {
    server.close()
    server.closeAllConnections()
  })
}

/** HAProxy with the file of deploy/, except for the addresses. Returns its port. */
async function startProxy(drill: Drill, nodes: readonly Node[]): Promise<number> {
  const port = await findFreePort()
  const file = join(drill.folder, 'haproxy.cfg')
  const given = await readFile(join(ha, 'haproxy.cfg'), 'utf8')
  const written = nodes.reduce(
    (text, { name, port: server, patroniPort }) =>
      text.replace(
        new RegExp(`server ${name} \\S+ check port \\d+`),
        `server ${name} 127.0.0.1:${server} check port ${patroniPort}`,
      ),
    given.replace(/bind \S+/, `bind 127.0.0.1:${port}`),
  )
  await writeFile(file, written)
  await startProgram(drill, 'haproxy', ['-db', '-f', file], { port })
  return port
}
