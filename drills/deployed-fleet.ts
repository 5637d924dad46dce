import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { findFreePort, type ServerProcess, startService } from '../bench/child-service.ts'
import { runsAsRoot } from '../src/platform/private-postgres/server-user.ts'
import { startEmbeddedPostgres } from '../src/platform/private-postgres/start-embedded.ts'
import { createBillsDatabase } from './bills-database.ts'
import { type Drill, startProgram } from './drill.ts'

/*
 * Several instances as docs/installing.md ("Several processes") and docs/configuration.md ("Poolers") describe them: behind
 * nginx with the files of deploy/, on one PostgreSQL, which they reach through PgBouncer.
 */

/** The programs that a fleet needs, each with its Debian package. */
export const programsOfFleet = { nginx: 'nginx', pgbouncer: 'pgbouncer' } as const

export interface Instance extends ServerProcess {
  port: number
}

export interface Fleet {
  /** Leads through nginx. */
  url: string
  /** The environment of each instance, apart from its port and folder. Commands work with it too. */
  environment: Record<string, string>
  /** Connects as PostgreSQL's superuser. */
  connectionString: string
  /** Where nginx looks for instances: a port for each, and a spare one. */
  ports: readonly number[]
  /** Starts an instance and waits until it is ready. */
  start(port: number): Promise<Instance>
  /** How many requests nginx sent to a second instance. */
  countPassedOn(): Promise<number>
  /** Lines of the instances' logs that report an error. */
  readErrors(): Promise<string[]>
}

const deploy = fileURLToPath(new URL('../deploy/', import.meta.url))

/** Starts everything but the instances, of which there will be `count`. */
export async function startFleet(drill: Drill, count: number): Promise<Fleet> {
  const { databaseUrls, connectionString } = await startDatabase(drill)
  const ports: number[] = []
  while (ports.length <= count) ports.push(await findFreePort())
  const nginx = await startNginx(drill, ports)
  const dataDir = join(drill.folder, 'data')
  await mkdir(dataDir)
  const environment = {
    ...databaseUrls,
    // Instances on one machine share it.
    DATA_DIR: dataDir,
    PUBLIC_URL: nginx.url,
    TRUSTED_PROXIES: '127.0.0.1',
    ENCRYPTION_KEYS: `drill:${randomBytes(32).toString('base64')}`,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  }
  /** For the log. */
  const folderOf = (port: number) => join(drill.folder, `instance-${port}`)
  return {
    url: nginx.url,
    environment,
    connectionString,
    ports,
    async start(port) {
      await mkdir(folderOf(port), { recursive: true })
      return { port, ...(await startService(drill, folderOf(port), port, environment)) }
    },
    countPassedOn: nginx.countPassedOn,
    async readErrors() {
      const folders = (await readdir(drill.folder)).filter((name) => name.startsWith('instance-'))
      const logs = await Promise.all(folders.map((name) => readFile(join(drill.folder, name, 'service.log'), 'utf8')))
      return logs.flatMap((log) => log.split('\n').filter((line) => /^\{"level":"(?:error|fatal)"/.test(line)))
    },
  }
}

const timeLimits = ["statement_timeout = '20s'", "idle_in_transaction_session_timeout = '30s'"]

/**
 * PostgreSQL with the three logins and PgBouncer before it. Debian 12's PgBouncer keeps no prepared statements in
 * transaction mode, so it is in session mode: a connection of the service has one of PostgreSQL's as long as it lasts.
 */
async function startDatabase(
  drill: Drill,
): Promise<{ databaseUrls: Record<string, string>; connectionString: string }> {
  const server = await startEmbeddedPostgres({
    dataDir: drill.folder,
    log: () => undefined,
    settings: { max_connections: '200' },
  })
  drill.atEnd(server.stop)
  const { superuser, connectionTo } = await createBillsDatabase(server.connectionString)
  await administer(
    connectionTo(superuser, 'postgres'),
    ['bills_app', 'bills_system'].flatMap((login) => timeLimits.map((limit) => `alter role ${login} set ${limit}`)),
  )
  const { searchParams, port: socketPort } = new URL(server.connectionString)
  const socketFolder = searchParams.get('host') ?? ''
  const port = await findFreePort()
  const file = join(drill.folder, 'pgbouncer.ini')
  const users = join(drill.folder, 'pgbouncer-users.txt')
  await writeFile(users, '"bills_app" ""\n"bills_system" ""\n')
  await writeFile(
    file,
    `[databases]
bills = host=${socketFolder} port=${socketPort} dbname=bills
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = session
max_client_conn = 400
default_pool_size = 90
ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout
`,
  )
  // PgBouncer does not run as root, and only PostgreSQL's user reaches the socket.
  const { uid, gid } = await stat(socketFolder)
  await startProgram(drill, 'pgbouncer', [file], { port, user: runsAsRoot() ? { uid, gid } : {} })
  const throughPooler = (login: string) => `postgresql://${login}@127.0.0.1:${port}/bills`
  return {
    connectionString: connectionTo(superuser),
    databaseUrls: {
      DATABASE_URL: throughPooler('bills_app'),
      DATABASE_SYSTEM_URL: throughPooler('bills_system'),
      DATABASE_OWNER_URL: connectionTo('bills_owner'),
      DATABASE_DIRECT_URL: connectionTo('bills_app'),
    },
  }
}

async function administer(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** nginx with the file of deploy/, except that its logs and temporary files are in the drill's folder. */
async function startNginx(drill: Drill, ports: readonly number[]) {
  const port = await findFreePort()
  const folder = join(drill.folder, 'nginx')
  const log = join(folder, 'access.log')
  const main = join(folder, 'nginx.conf')
  await mkdir(join(folder, 'housebill'), { recursive: true })
  const read = (name: string) => readFile(join(deploy, 'nginx', name), 'utf8')
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  await write('housebill.conf', (await read('housebill.conf')).replaceAll('/var/log/nginx', folder))
  await write('housebill/listen.conf', `listen 127.0.0.1:${port};\n`)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await write(
    'nginx.conf',
    `daemon off;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')} crit;
events {}
http {
${kinds.map((kind) => `  ${kind}_temp_path ${join(folder, kind)};`).join('\n')}
  include housebill.conf;
}
`,
  )
  const lines = (await read('housebill/instances.conf')).split('\n')
  const example = lines.find((line) => /^ *server /.test(line)) ?? ''
  const servers = ports.map((each) => example.replace(/:\d+/, `:${each}`))
  const others = lines.filter((line) => !/^ *server /.test(line))
  await write('housebill/instances.conf', others.join('\n').replace('{', `{\n${servers.join('\n')}`))
  await startProgram(drill, 'nginx', ['-p', folder, '-c', main], { port })
  return {
    url: `http://127.0.0.1:${port}`,
    async countPassedOn() {
      const requests = (await readFile(log, 'utf8')).split('\n')
      return requests.filter((line) => /s 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+/.test(line)).length
    },
  }
}
