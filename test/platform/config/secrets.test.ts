import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseEncryptionKeys } from '../../../src/platform/config/encryption-keys.ts'
import { ConfigurationError } from '../../../src/platform/config/problems.ts'
import { loadSecrets } from '../../../src/platform/config/secrets.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-secrets-'))
after(() => rm(folder, { recursive: true, force: true }))
const keyText = () => randomBytes(32).toString('base64')

test('a sandbox without keys generates one at first start and stores it privately in DATA_DIR', async () => {
  const dataDir = join(folder, 'made', 'deep')
  const first = await loadSecrets({}, 'sandbox', dataDir)
  const [key] = first.encryptionKeys
  assert.equal(first.encryptionKeys.length, 1)
  assert.deepEqual([key?.id, key?.key.length], ['sandbox-1', 32])
  assert.deepEqual(await readdir(dataDir), ['encryption-keys'])
  assert.equal((await stat(join(dataDir, 'encryption-keys'))).mode & 0o777, 0o600)
  assert.deepEqual((await loadSecrets({}, 'sandbox', dataDir)).encryptionKeys, first.encryptionKeys)
})

test('several first starts at the same time all end up with the same key', async () => {
  const dataDir = join(folder, 'at-once')
  const all = await Promise.all(Array.from({ length: 8 }, () => loadSecrets({}, 'sandbox', dataDir)))
  assert.equal(new Set(all.map(({ encryptionKeys }) => encryptionKeys[0]?.key.toString('hex'))).size, 1)
  assert.deepEqual(await readdir(dataDir), ['encryption-keys'])
})

test('configured keys are used in the order given, and nothing is written', async () => {
  const [current, old] = [keyText(), keyText()]
  const dataDir = join(folder, 'given')
  const { encryptionKeys } = await loadSecrets({ ENCRYPTION_KEYS: `b:${current}, a:${old}` }, 'sandbox', dataDir)
  assert.deepEqual(
    encryptionKeys.map(({ id, key }) => `${id}:${key.toString('base64')}`),
    [`b:${current}`, `a:${old}`],
  )
  await assert.rejects(readFile(join(dataDir, 'encryption-keys')), { code: 'ENOENT' })
})

test('keys of the wrong form or length, or with a repeated id, are rejected, and the error does not contain them', () => {
  const short = randomBytes(16).toString('base64')
  for (const text of [
    '',
    'a',
    'a:',
    `:${keyText()}`,
    `a:${short}`,
    `a:${keyText()},`,
    `a:${keyText()},a:${keyText()}`,
    `ä:${keyText()}`,
  ])
    assert.throws(
      () => parseEncryptionKeys(text),
      (error) => error instanceof ConfigurationError && !error.message.includes(short),
    )
})
