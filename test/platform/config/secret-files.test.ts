import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { secretNames } from '../../../src/platform/config/env.ts'
import { loadEnvironment } from '../../../src/platform/config/load-environment.ts'
import { ConfigurationError } from '../../../src/platform/config/problems.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'
import { readSource } from '../../structure/tree.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-secret-files-'))
after(() => rm(folder, { recursive: true, force: true }))
const keyText = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

async function fileWith(text: string): Promise<string> {
  const file = join(folder, randomBytes(6).toString('hex'))
  await writeFile(file, text)
  return file
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
