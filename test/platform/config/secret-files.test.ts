import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { secretNames } from '../../../src/platform/config/env.ts'
import { loadEnvironment } from '../../../src/platform/config/load-environment.ts'
import { ConfigurationError } from '../../../src/platform/config/problems.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { housebill } from '../../cli/cli-fixture.ts'
import { readSource } from '../../structure/tree.ts'
import { waitFor } from '../../support/wait-for.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-secret-files-'))
after(() => rm(folder, { recursive: true, force: true }))
const keyText = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

async function fileWith(text: string): Promise<string> {
  const file = join(folder, randomBytes(6).toString('hex'))
  await writeFile(file, text)
  return file
}

/** Whether the process still runs; one that has ended but was not yet collected does not. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
  return !/\) [ZX]/.test(status)
}

async function problemsOf(source: NodeJS.ProcessEnv): Promise<readonly string[]> {
  try {
    await loadEnvironment({ source })
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error))
    return error.problems
  }
}

test('every secret can be read from the file that its setting with _FILE names, without the line end', async () => {
  for (const name of secretNames) {
    const environment = await loadEnvironment({ source: { [`${name}_FILE`]: await fileWith('the secret\n') } })
    assert.equal(environment[name], 'the secret')
  }
})

test('docs/configuration.md lists the setting with _FILE of every secret', () => {
  const { text } = readSource('docs/configuration.md')
  for (const name of secretNames) assert.ok(text.includes(`\`${name}_FILE\``), name)
})

test('a secret that is given twice stops the start, and the problem names both settings but no value', async () => {
  for (const name of secretNames) {
    const file = await fileWith('from-file')
    assert.deepEqual(await problemsOf({ [name]: 'given', [`${name}_FILE`]: file }), [
      `${name} and ${name}_FILE are set together: keep one of them`,
    ])
  }
  assert.deepEqual(
    await problemsOf({ ENCRYPTION_KEYS: 'a', ENCRYPTION_KEYS_FILE: 'b', ENCRYPTION_KEYS_COMMAND: 'c' }),
    ['ENCRYPTION_KEYS and ENCRYPTION_KEYS_FILE and ENCRYPTION_KEYS_COMMAND are set together: keep one of them'],
  )
})

test('files that are missing, unreadable or empty are all named', async () => {
  const empty = await fileWith(' \n')
  const missing = join(folder, 'missing')
  assert.deepEqual(
    await problemsOf({ SMTP_URL_FILE: empty, DATABASE_URL_FILE: missing, STRIPE_SECRET_KEY_FILE: folder }),
    [
      `DATABASE_URL_FILE names a file that cannot be read (ENOENT): ${missing}`,
      `SMTP_URL_FILE names an empty file: ${empty}`,
      `STRIPE_SECRET_KEY_FILE names a file that cannot be read (EISDIR): ${folder}`,
    ],
  )
})

test('the keys can be what a command prints; it may use a pipe and the environment', async () => {
  const file = await fileWith(keyText('k1'))
  const source = { ENCRYPTION_KEYS_COMMAND: `cat '${file}' | tr k K` }
  assert.match((await loadEnvironment({ source })).ENCRYPTION_KEYS ?? '', /^K1:/)
})

test('a command that fails, prints nothing or cannot be run stops the start, and the problem does not contain its output', async () => {
  for (const [command, pattern] of [
    ["echo 'k1:c2VjcmV0'; echo 'k1:c2VjcmV0' >&2; exit 3", /^ENCRYPTION_KEYS_COMMAND failed \(exit code 3\)/],
    ['true', /^ENCRYPTION_KEYS_COMMAND printed nothing/],
    ['/no/such/program', /^ENCRYPTION_KEYS_COMMAND failed \(exit code 127\)/],
  ] as const) {
    const [problem = '', ...more] = await problemsOf({ ENCRYPTION_KEYS_COMMAND: command })
    assert.match(problem, pattern)
    assert.ok(!problem.includes('c2VjcmV0') && more.length === 0)
  }
})

test('a command that does not end is killed with all that it started, and the start stops', async () => {
  const pidFile = join(folder, 'pid')
  const source = { ENCRYPTION_KEYS_COMMAND: `sh -c 'echo $$ > ${pidFile}; exec tail -f /dev/null' | cat` }
  await assert.rejects(loadEnvironment({ source, commandLimitMs: 2_000 }), /did not end within 2 seconds/)
  const pid = Number(await readFile(pidFile, 'utf8'))
  await waitFor(
    'the command has ended',
    async () => isRunning(pid),
    (running) => !running,
  )
})

test('a command gets no input, and the limit holds also if a program that left its group keeps the output open', async () => {
  assert.deepEqual(await problemsOf({ ENCRYPTION_KEYS_COMMAND: 'cat' }), [
    'ENCRYPTION_KEYS_COMMAND printed nothing on its standard output',
  ])
  const pidFile = join(folder, 'daemon')
  const source = { ENCRYPTION_KEYS_COMMAND: `setsid sh -c 'echo $$ > ${pidFile}; exec tail -f /dev/null' & echo k1` }
  await assert.rejects(loadEnvironment({ source, commandLimitMs: 2_000 }), /did not end within/)
  process.kill(Number(await readFile(pidFile, 'utf8')))
})

test('a command that prints without end stops the start', async () => {
  const [problem = ''] = await problemsOf({ ENCRYPTION_KEYS_COMMAND: 'yes' })
  assert.match(problem, /printed too much/)
})

test('a command that prints something other than keys stops the start without showing it', async () => {
  const { code, stdout, stderr } = await housebill(['keys', 'status'], {
    DATABASE_URL: 'postgres://127.0.0.1:9/none',
    ENCRYPTION_KEYS_COMMAND: 'echo permission denied for swordfish',
  })
  assert.equal(code, 1)
  assert.match(stderr, /ENCRYPTION_KEYS must be id:base64 pairs/)
  assert.doesNotMatch(stdout + stderr, /swordfish/)
})

test('a running server uses a new first key in ENCRYPTION_KEYS_FILE, and keeps its keys while the file is unusable', async () => {
  const file = await fileWith(keyText('k1'))
  const environment = await loadEnvironment({ source: { ENCRYPTION_KEYS_FILE: file, DATA_DIR: folder } })
  const { keyRing } = await loadSecrets(environment, 'live', folder)
  await writeFile(file, 'half a ke')
  assert.equal(keyRing.find('k2'), undefined)
  assert.equal(keyRing.current().id, 'k1')
  const zero = `k2:${Buffer.alloc(32).toString('base64')}`
  await writeFile(file, zero)
  assert.equal(keyRing.find('k2'), undefined, 'a key with which live does not start is not used either')
  await writeFile(file, `${keyText('k2')},${keyText('k1')}`)
  assert.equal(keyRing.find('k2')?.length, 32)
  assert.equal(keyRing.current().id, 'k2')
})
