import assert from 'node:assert/strict'
import { appendFile, mkdir, open, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../src/platform/kernel/ids.ts'
import { createFileLedger, readFileLedger, readLatestEntries } from '../../src/privacy/erasure-ledger/file.ts'
import type { LedgerEntry } from '../../src/privacy/erasure-ledger.ts'
import { runProgram } from '../cli/cli-fixture.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'

const entry = (): LedgerEntry => ({
  customerId: newId('tenant'),
  partnerId: newId('partner'),
  erasedAt: new Date('2026-11-23T16:00:00.123Z'),
  reason: 'requested',
})
const ids = (entries: readonly LedgerEntry[]) => entries.map(({ customerId }) => customerId)

test('entries are read as they were appended, from a file that only its owner can read', async (t) => {
  const path = join(await temporaryFolder(t), 'new', 'erasures.jsonl')
  const ledger = createFileLedger(path)
  const [first, second, third] = [entry(), entry(), { ...entry(), reason: 'forced' as const }]
  await ledger.append([first])
  await ledger.append([])
  await ledger.append([second, third])
  const { entries, unreadable } = await readFileLedger(path)
  assert.deepEqual(entries, [
    { ...first, line: 1 },
    { ...second, line: 2 },
    { ...third, line: 3 },
  ])
  assert.deepEqual(unreadable, [])
  assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('an entry is written to the disk (fsync) before the append ends', async (t) => {
  const path = join(await temporaryFolder(t), 'erasures.jsonl')
  await writeFile(path, 'earlier line\n')
  const probe = await open(path)
  const fileHandle = Object.getPrototypeOf(probe) as typeof probe
  await probe.close()
  const sizes: number[] = []
  t.mock.method(fileHandle, 'sync', async () => void sizes.push((await stat(path)).size))
  await createFileLedger(path).append([entry()])
  assert.deepEqual(sizes, [(await stat(path)).size], 'synced once, with the entry in the file')
})

test('wherever a crash cuts the last line off, earlier and later entries are read and only that line is torn', async (t) => {
  const folder = await temporaryFolder(t)
  let files = 0
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 2 }), async (cut, later) => {
      files += 1
      const path = join(folder, `${files}.jsonl`)
      const ledger = createFileLedger(path)
      const [first, last, next] = [entry(), entry(), Array.from({ length: later }, entry)]
      await ledger.append([first])
      const { size: whole } = await stat(path)
      await ledger.append([last])
      const { size } = await stat(path)
      const kept = Math.max(whole, size - cut)
      await truncate(path, kept)
      for (const each of next) await ledger.append([each])
      const { entries, unreadable } = await readFileLedger(path)
      // Without its line end only, the entry itself is whole.
      const survived = kept === size - 1 ? [last] : []
      assert.deepEqual(ids(entries), ids([first, ...survived, ...next]))
      assert.deepEqual(unreadable, kept === whole || survived.length > 0 ? [] : [{ line: 2, kind: 'torn' }])
    }),
    { numRuns: 60 },
  )
})

test('a damaged line is named, and the lines around it are read', async (t) => {
  const path = join(await temporaryFolder(t), 'erasures.jsonl')
  const ledger = createFileLedger(path)
  const [first, last] = [entry(), entry()]
  await ledger.append([first])
  const wrong = [
    'not json',
    '[]',
    JSON.stringify({ ...first, customerId: 'tenant_x' }),
    JSON.stringify({ ...first, reason: 'because' }),
    JSON.stringify({ ...first, erasedAt: 'yesterday' }),
  ]
  await appendFile(path, `${wrong.join('\n')}\n\n`)
  await ledger.append([last])
  const { entries, unreadable } = await readFileLedger(path)
  assert.deepEqual(ids(entries), ids([first, last]))
  assert.deepEqual(
    unreadable,
    wrong.map((_, index) => ({ line: index + 2, kind: 'unreadable' })),
  )
})

test('the latest entries of a long ledger are read without the rest, and a ledger that does not exist yet has none', async (t) => {
  const path = join(await temporaryFolder(t), 'erasures.jsonl')
  assert.deepEqual(await readLatestEntries(path), [])
  const all = Array.from({ length: 1_000 }, entry)
  await createFileLedger(path).append(all)
  const latest = await readLatestEntries(path)
  assert.ok(latest.length > 100 && latest.length < 300)
  assert.deepEqual(ids(latest), ids(all.slice(-latest.length)))
  await assert.rejects(readLatestEntries(join(path, 'inside')), { code: 'ENOTDIR' })
})

test('several processes append to one file at once without mixing their lines', async (t) => {
  const path = join(await temporaryFolder(t), 'erasures.jsonl')
  const adapter = new URL('../../src/privacy/erasure-ledger/file.ts', import.meta.url).href
  const script = `
    const { createFileLedger } = await import(${JSON.stringify(adapter)})
    const ledger = createFileLedger(process.env.LEDGER)
    const entry = JSON.parse(process.env.ENTRY)
    for (let n = 0; n < 60; n += 1) await ledger.append([{ ...entry, erasedAt: new Date(entry.erasedAt) }])`
  const writers = Array.from({ length: 3 }, entry)
  const runs = await Promise.all(
    writers.map((each) =>
      runProgram(process.execPath, ['--input-type=module', '--eval', script], {
        PATH: process.env.PATH,
        LEDGER: path,
        ENTRY: JSON.stringify(each),
      }),
    ),
  )
  for (const run of runs) assert.equal(run.code, 0, run.stderr)
  const { entries, unreadable } = await readFileLedger(path)
  assert.deepEqual(unreadable, [])
  assert.deepEqual(
    writers.map(({ customerId }) => entries.filter((each) => each.customerId === customerId).length),
    [60, 60, 60],
  )
})

test('a file that cannot be written, or only in part, rejects the entry as unavailable without naming the path', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'a-folder'))
  await writeFile(join(folder, 'a-file'), '')
  for (const path of [join(folder, 'a-folder'), join(folder, 'a-file', 'erasures.jsonl'), '/dev/full'])
    await assert.rejects(createFileLedger(path).append([entry()]), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'service_unavailable')
      assert.ok(error.cause instanceof Error && !error.message.includes(path))
      return true
    })
  assert.equal(await readFile(join(folder, 'a-file'), 'utf8'), '')
})
