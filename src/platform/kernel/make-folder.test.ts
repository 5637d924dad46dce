import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './make-folder.ts'

test('a folder is created with those above it; one that exists is left as it is, and a file is rejected', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'housebill-folders-'))
  t.after(() => rm(folder, { recursive: true }))
  const inner = join(folder, 'a', 'b')
  await Promise.all([makeFolder(inner, 0o700), makeFolder(inner, 0o700)])
  await makeFolder(inner, 0o755)
  assert.equal((await stat(inner)).mode & 0o777, 0o700)
  await writeFile(join(folder, 'file'), '')
  await assert.rejects(makeFolder(join(folder, 'file')), { code: 'EEXIST' })
  await assert.rejects(makeFolder(join(folder, 'file', 'a')), { code: 'ENOTDIR' })
})

test('a folder that the file system cannot have is rejected instead of tried for ever', async (t) => {
  if (process.platform !== 'linux') return t.diagnostic('only Linux has /proc')
  await assert.rejects(makeFolder('/proc/housebill/data'), { code: 'ENOENT' })
})
