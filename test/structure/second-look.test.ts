import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isLookedAtAgain } from '../../scripts/looked-at-again.ts'

/*
 * A file of tests that failed beside all others is run again by itself. What must hold of that: what fails, fails.
 */

const folder = await mkdtemp(join(tmpdir(), 'second-look-'))
after(() => rm(folder, { recursive: true }))

/** A file with one test, which notes each run in a file beside it and fails in these, counted from 1. */
async function failingInRuns(name: string, runs: readonly number[]): Promise<{ path: string; ran(): Promise<number> }> {
  const path = join(folder, `${name}.test.mjs`)
  const noted = `${path}.runs`
  await writeFile(
    path,
    `import { appendFileSync, readFileSync } from 'node:fs'
     import { test } from 'node:test'
     test('counts', () => {
       appendFileSync(${JSON.stringify(noted)}, '.')
       const run = readFileSync(${JSON.stringify(noted)}, 'utf8').length
       if (${JSON.stringify(runs)}.includes(run)) throw new Error('fails in run ' + run)
     })`,
  )
  return { path, ran: async () => (await readFile(noted, 'utf8')).length }
}

async function runTests(...files: readonly { path: string }[]): Promise<{ code: number; told: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, ['scripts/tests.ts', ...files.map(({ path }) => path)], { env })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (told += String(piece)))
  const [code] = await once(child, 'close')
  return { code, told }
}

test('a file that fails once and then passes three times by itself passes, and is told of', async () => {
  const [once, well] = [await failingInRuns('once', [1]), await failingInRuns('well', [])]
  const { code, told } = await runTests(once, well)
  assert.equal(code, 0, told)
  assert.match(told, /once\.test\.mjs failed once and passed 3 times by itself/)
  assert.deepEqual([await once.ran(), await well.ran()], [4, 1])
})

test('a file that fails again, be it the third time, fails', async () => {
  const [always, later] = [await failingInRuns('always', [1, 2, 3, 4]), await failingInRuns('later', [1, 4])]
  const { code, told } = await runTests(always, later)
  assert.equal(code, 1)
  assert.match(told, /✖ .*always\.test\.mjs failed/)
  assert.match(told, /✖ .*later\.test\.mjs failed/)
  assert.deepEqual([await always.ran(), await later.ran()], [2, 4])
})

test('a file whose test stands in another one, and one that dies, are looked at again themselves', async () => {
  const lent = await failingInRuns('lent', [1, 2])
  const written = join(folder, 'written-elsewhere.mjs')
  await rename(lent.path, written)
  const borrower = join(folder, 'borrower.test.mjs')
  await writeFile(borrower, `import ${JSON.stringify(written)}`)
  const dying = join(folder, 'dying.test.mjs')
  await writeFile(dying, 'process.exit(3)')
  const { code, told } = await runTests({ path: borrower }, { path: dying })
  assert.equal(code, 1, told)
  assert.match(told, /✖ .*borrower\.test\.mjs failed/)
  assert.match(told, /✖ .*dying\.test\.mjs failed/)
  assert.doesNotMatch(told, /! /)
  assert.equal(await lent.ran(), 2)
})

test('more than three files that failed, or one that no machine fails, are not looked at again', async () => {
  assert.equal(isLookedAtAgain(['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts']), true)
  assert.equal(isLookedAtAgain(['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts']), false)
  const never = [
    'crash/b',
    'isolation/b',
    'privacy/b',
    'state/b',
    'webhooks/crash',
    'webhooks/outages',
    'webhooks/replay-crash',
  ]
  for (const name of never) assert.equal(isLookedAtAgain(['test/a.test.ts', `test/${name}.test.ts`]), false, name)

  const many = await Promise.all(['one', 'two', 'three', 'four'].map((name) => failingInRuns(name, [1])))
  const { code, told } = await runTests(...many)
  assert.equal(code, 1, told)
  assert.deepEqual(await Promise.all(many.map((file) => file.ran())), [1, 1, 1, 1])
})
