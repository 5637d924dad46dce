import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import Type from 'typebox'
import { commandsByPath } from '../../src/cli/help/examples.ts'
import { createProgram } from '../../src/cli/program.ts'
import { startOwnCluster } from '../isolation/own-cluster.ts'
import { isFullSize } from '../support/campaign-size.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import {
  assertFailed,
  assertFailedAsJson,
  assertSucceeded,
  bin,
  checkout,
  housebill,
  launch,
  prepareEnvironment,
  runProgram,
} from './cli-fixture.ts'
import { CommandError } from './command-output.ts'
import { openTerminal } from './serving-process.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-cli-'))
after(() => rm(folder, { recursive: true, force: true }))

test('every command explains itself if called with --help, and accepts --json', async () => {
  for (const command of commandsByPath(createProgram()).keys()) {
    const run = await housebill([...command.split(' '), '--help'])
    assertSucceeded(run)
    assert.match(run.stdout, new RegExp(`^Usage: housebill ${command} `))
    assert.match(run.stdout, /^ +--json /m)
  }
})

test('housebill --help names every command', async () => {
  const run = await housebill(['--help'])
  assertSucceeded(run)
  for (const command of createProgram().commands) assert.match(run.stdout, new RegExp(`^ +${command.name()} `, 'm'))
})

test('housebill --version prints the version of Housebill and of Node', async () => {
  const run = await housebill(['--version'])
  assert.equal(run.code, 0)
  assert.match(run.stdout, /^housebill \d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+\)\n$/)
})

test('wrong usage exits with code 2 and says what is wrong', async () => {
  const cases: [string[], RegExp][] = [
    [[], /Usage: housebill/],
    [['partner'], /Usage: housebill partner/],
    [['jurney'], /unknown command 'jurney'\n\(Did you mean journey\?\)/],
    [['operator', 'list', '--jsno'], /unknown option '--jsno'\n\(Did you mean --json\?\)/],
    [['partner', 'create'], /'--name <name>' not specified/],
    [['partner', 'create', '--name', ' '], /1 to 100 characters/],
    [['rates', 'publish'], /missing required argument 'file'/],
    [['rates', 'list', 'more'], /too many arguments/],
    [['addresses', 'generate', '--count', 'many'], /whole number/],
    [['addresses', 'generate', '--count', '0'], /whole number from 1 to 30,000,000/],
    [['addresses', 'generate', '--seed', '1000'], /whole number from 1 to 999/],
    [['journey', '--tenants', '0'], /from 1 to 12/],
    [['journey', '--tenants', '13'], /from 1 to 12/],
    [['journey', '--base-url', 'localhost:8080'], /http or https URL/],
    [['journey', '--base-url', 'https://name:word@example.com'], /without query or credentials/],
    [['listen'], /'--forward-to <url>' not specified/],
    [['listen', '--forward-to', 'https://shop.example/hooks'], /on this machine: localhost/],
    [['listen', '--forward-to', 'http://localhost.shop.example/'], /on this machine: localhost/],
    [['listen', '--forward-to', 'ftp://localhost/'], /http or https URL/],
    [
      ['listen', '--forward-to', 'http://localhost:1', '--events', 'quote.sold'],
      /event types are quote\.status\.changed/,
    ],
    [['listen', '--forward-to', 'http://localhost:1', '--secret', 'whsec_short'], /24 to 64 bytes/],
    [['listen', '--forward-to', 'http://localhost:1', '--since', 'today'], /time zone/],
    [['trigger'], /missing required argument 'event'/],
    [['trigger', 'quote.sold'], /Allowed choices are quote\.status\.changed/],
    [['journey'], /SANDBOX_CLIENT_ID \(or --client-id\) is missing/],
    [['journey', '--client-id', 'sb_1'], /SANDBOX_CLIENT_SECRET is missing/],
  ]
  await Promise.all(
    cases.map(async ([args, words]) => {
      const run = await housebill(args)
      assert.deepEqual({ args, code: run.code, stdout: run.stdout }, { args, code: 2, stdout: '' })
      assert.match(run.stderr, words)
    }),
  )
})

test('incorrect usage with --json prints a JSON object', async () => {
  for (const args of [
    ['rates', 'publish', '--json'],
    ['operator', 'lst', '--json'],
    ['journey', '--json'],
    ['addresses', 'generate', '--json'],
  ]) {
    const run = await housebill(args)
    assert.equal(run.code, 2)
    assert.equal(run.json(CommandError).error.code, 'wrong_usage')
    assert.notEqual(run.stderr, '')
  }
})

test('an invalid configuration is rejected before anything is opened, and the error lists all its problems', async () => {
  const environment = { DATA_DIR: folder, PORT: 'eighty', HOUSEBILL_ENV: 'test' }
  const run = await housebill(['operator', 'list'], environment)
  assertFailed(run, /cannot start with this configuration:\n {2}- HOUSEBILL_ENV must.*\n {2}- PORT must/)
  const asJson = await housebill(['operator', 'list', '--json'], environment)
  assertFailedAsJson(asJson, 'configuration')
  assert.equal(asJson.json(CommandError).error.problems?.length, 2)
})

test('a database that cannot be reached or that rejects the connection is named as the reason', async () => {
  const nobody = await housebill(['migrate'], {
    DATA_DIR: folder,
    DATABASE_URL: 'postgres://u:hidden@127.0.0.1:9/none',
  })
  assertFailed(nobody, /^The database cannot be reached \(ECONNREFUSED\)\. Check DATABASE_URL/)
  assert.doesNotMatch(nobody.stderr, /hidden/)
})

/** What begins and ends every colour. */
const colourCode = '\u001b['

test('a command ends with the same exit code and prints the same in a process of its own as in this one, without colours', async (t) => {
  const { environment, drop } = await prepareEnvironment()
  t.after(drop)
  const calls = [
    ['operator', 'list', '--json'],
    ['keys', 'status', '--jsno'],
    ['contracts', 'export', '--format', 'ndjson', '--out', '-'],
    [],
    ['operator', 'list'],
    ['rates', 'check', 'reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json'],
    ['addresses', 'generate', '--count', '3'],
    ['customers', 'export', 'tenant_01m7w4kmmpf2288994r3wsyr86', '--json'],
    ['keys', 'status'],
  ]
  for (const args of isFullSize ? calls : calls.slice(0, 3)) {
    const [launched, called] = [await launch(args, environment), await housebill(args, environment)]
    assert.deepEqual({ ...launched, json: undefined }, { ...called, json: undefined }, args.join(' '))
    assert.ok(!(launched.stdout + launched.stderr).includes(colourCode), args.join(' '))
  }
})

test('npx finds the command in the checkout, offline and with nothing installed', async () => {
  const environment = { HOME: folder, npm_config_cache: join(folder, 'npm'), npm_config_offline: 'true' }
  const run = await runProgram('npx', ['housebill', 'rates', 'check', 'package.json', '--json'], environment)
  assert.equal(run.code, 1)
  assert.equal(run.json(CommandError).error.code, 'unusable_file')
})

test('a Node that is too old passes the command on to a newer installed one, with the same arguments and exit code', async () => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, join(checkout, 'bin/housebill.js')]
  const rejected = await runProgram(process.execPath, [...args, 'rates', 'check', 'no such file'], {})
  assertFailed(rejected, /^no such file cannot be used:\n {2}- the file does not exist/)
})

const inTerminal = async (t: Parameters<typeof openTerminal>[0], command: string, environment = {}) => {
  const terminal = openTerminal(t, `${process.execPath} bin/housebill.js ${command}`, { TERM: 'xterm', ...environment })
  await terminal.ended
  return terminal.printed(/./)
}

test('help and errors have colours on a terminal, unless NO_COLOR is set', async (t) => {
  const help = await inTerminal(t, 'rates check --help')
  assert.ok(help.includes(`${colourCode}1mUsage:${colourCode}22m`), help)
  assert.ok(help.includes(`${colourCode}1mExamples:${colourCode}22m`), help)
  const wrong = await inTerminal(t, 'rates check')
  assert.ok(wrong.includes(`${colourCode}31merror: missing required argument 'file'`), wrong)
  const failed = await inTerminal(t, 'rates check missing.json')
  assert.ok(failed.includes(`${colourCode}31mmissing.json cannot be used:`), failed)
  for (const command of isFullSize
    ? ['rates check --help', 'rates check', 'rates check missing.json']
    : ['rates check']) {
    const plain = await inTerminal(t, command, { NO_COLOR: '1' })
    assert.ok(!plain.includes(colourCode), plain)
  }
})

test('a command that failed ends, even if something it opened stays open', async () => {
  const opening = `import { createServer } from 'node:net'; createServer().listen(0, '127.0.0.1')`
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(opening)}`,
    bin,
    'rates',
    'check',
    'no such file',
  ]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  assert.deepEqual(await once(child, 'exit'), [1, null])
})

const limitHeapGrowth = new URL('../../src/cli/serve/heap-growth.ts', import.meta.url).href

test('this version of Node knows the setting that limits the growth of the heap', async () => {
  for (const [program, isKnown] of [
    [`import { limitHeapGrowth } from '${limitHeapGrowth}'; limitHeapGrowth()`, true],
    // V8 does not throw, it only prints.
    [`import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--heap-growing-percentage=50')`, false],
  ] as const) {
    const { code, stderr } = await runProgram(process.execPath, ['--input-type=module', '--eval', program], {})
    assert.deepEqual([code, stderr === ''], [0, isKnown], stderr)
  }
})

const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.1.0' } })`
const asOldNode = ['--import', `data:text/javascript,${encodeURIComponent(old)}`]

/** A checkout with nothing installed. */
async function makeCheckout(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'bin'))
  await cp(bin, join(folder, 'bin', 'housebill.js'))
  await cp(join(checkout, 'package.json'), join(folder, 'package.json'))
  return folder
}

test('npm start before npm ci prints one line that says to run npm ci, and exits with 1', async (t) => {
  const folder = await makeCheckout(t)
  const run = await runProgram('npm', ['start', '--silent'], { HOME: folder, npm_config_offline: 'true' }, folder)
  assert.equal(run.code, 1)
  assert.equal(run.stderr, `Housebill's packages are not installed. Run "npm ci" in ${folder} first.\n`)
})

test('if the only installed version of Node has no Temporal, the error says which version to install', async (t) => {
  const folder = await makeCheckout(t)
  await mkdir(join(folder, 'node_modules'))
  await writeFile(join(folder, 'node_modules', '.package-lock.json'), '{}')
  const run = await runProgram(process.execPath, [...asOldNode, join(folder, 'bin', 'housebill.js')], {})
  assert.equal(run.code, 1)
  assert.equal(
    run.stderr,
    'Housebill needs Node 26 or newer; this is 24.1.0. Install a newer one, then run "npm ci" again.\n',
  )
})

test('under npm, the machine’s own Node runs Housebill if it is new enough, and the bundled one otherwise', async (t) => {
  const folder = await makeCheckout(t)
  for (const path of ['node_modules/.bin', 'src', 'machine']) await mkdir(join(folder, path), { recursive: true })
  await writeFile(join(folder, 'node_modules', '.package-lock.json'), '{}')
  await writeFile(join(folder, 'src', 'main.ts'), 'console.log("the bundled Node")')
  const bundled = join(folder, 'node_modules', '.bin', 'node')
  await symlink(process.execPath, bundled)
  const machines = join(folder, 'machine', 'node')
  await writeFile(machines, '#!/bin/sh\necho "the own Node: $(basename "$1") $2 $3"\n')
  await chmod(machines, 0o755)
  const launcher = join(folder, 'bin', 'housebill.js')
  for (const [path, version, expected] of [
    [machines, 'v26.0.0', 'the own Node: housebill.js serve --json\n'],
    [machines, 'v27.1.0', 'the own Node: housebill.js serve --json\n'],
    [machines, 'v20.20.2', 'the bundled Node\n'],
    [bundled, 'v26.0.0', 'the bundled Node\n'],
    [join(folder, 'missing'), 'v26.0.0', 'the bundled Node\n'],
  ] as const) {
    const npm = { npm_node_execpath: path, npm_config_user_agent: `npm/11.20.0 node/${version} linux x64` }
    const run = await runProgram(bundled, [launcher, 'serve', '--json'], npm)
    assert.deepEqual([run.code, run.stdout], [0, expected], `${path} ${version}: ${run.stderr}`)
  }
})

const prepared = await prepareEnvironment()
const cluster = await startOwnCluster()
after(async () => {
  await prepared.drop()
  await cluster.stop()
})
const erase = ['customers', 'erase', '--email', 'ada@example.com']

test('without the environment of the service, a command fails instead of answering from an empty sandbox', async (t) => {
  const folder = await temporaryFolder(t)
  for (const dataDir of [folder, join(folder, 'none')]) {
    for (const command of [['customers', 'export', '--email', 'ada@example.com'], ['operator', 'list'], ['migrate']])
      assertFailed(
        await housebill(command, { DATA_DIR: dataDir }),
        /^There is no database in DATA_DIR .* environment of the service/,
      )
  }
  assertFailedAsJson(await housebill(['operator', 'list', '--json'], { DATA_DIR: folder }), 'no_database')
  assert.deepEqual(await readdir(folder), [])
})

test('a command neither migrates an empty database nor makes keys; migrate makes the tables and nothing else', async (t) => {
  const folder = await temporaryFolder(t)
  const { connectionString } = await cluster.createDatabase('empty')
  const environment = { DATABASE_URL: connectionString, DATA_DIR: folder }
  assertFailed(
    await housebill(['operator', 'list'], environment),
    /there is no .*encryption-keys: commands use the service's keys/,
  )
  const withKeys = { ...environment, ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` }
  assertFailed(await housebill(['operator', 'list'], withKeys), /^The database has none of Housebill's tables\./)
  const migrated = await launch(['migrate', '--json'], environment)
  assertSucceeded(migrated)
  assert.ok(migrated.json(Type.Object({ applied: Type.Array(Type.String()) })).applied.length >= 8)
  assert.deepEqual(await readdir(folder), [])
  assertSucceeded(await housebill(['operator', 'list'], withKeys))
})

test('every answer names the deployment and the database, also that of a failed command', async () => {
  const { environment } = prepared
  const name = new URL(environment.DATABASE_URL ?? '').pathname.slice(1)
  const line = new RegExp(`^Deployment: sandbox at http://localhost:8080\\. Database: ${name} at /.+\\.\\n$`)
  assert.match((await housebill(['operator', 'list'], environment)).deployment, line)
  const failed = await housebill(erase, environment)
  assert.match(failed.deployment, line)
  for (const command of [['audit', 'list'], erase]) {
    const { stdout } = await housebill([...command, '--json'], environment)
    assert.equal(JSON.parse(stdout).deployment.environment, 'sandbox')
    assert.match(JSON.parse(stdout).deployment.database, new RegExp(`^${name} at /`))
  }
})
