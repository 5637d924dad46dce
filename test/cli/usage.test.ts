import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandsByPath } from '../../src/cli/help/examples.ts'
import { createProgram } from '../../src/cli/program.ts'
import { isFullSize } from '../support/campaign-size.ts'
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
  const run = await launch(['--version'])
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

test('a command ends with the same exit code and prints the same in a process of its own as in this one', async (t) => {
  const { environment, drop } = await prepareEnvironment()
  t.after(drop)
  const calls = [
    ['operator', 'list', '--json'],
    ['quotes', 'overlaps', '--jsno'],
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
  const help = await runProgram(process.execPath, [...args, 'rates', 'check', '--help'], {})
  assertSucceeded(help)
  assert.match(help.stdout, /^Usage: housebill rates check/)
  const rejected = await runProgram(process.execPath, [...args, 'rates', 'check', 'no such file'], {})
  assertFailed(rejected, /^no such file cannot be used:\n {2}- the file does not exist/)
})

/** What begins and ends every colour. */
const colourCode = '\u001b['

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

test('nothing has colours outside a terminal', async () => {
  for (const args of isFullSize ? [['--help'], ['rates', 'check'], ['rates', 'check', 'missing.json']] : [['--help']]) {
    const { stdout, stderr } = await launch(args)
    assert.ok(!(stdout + stderr).includes(colourCode), stdout + stderr)
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
