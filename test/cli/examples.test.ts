import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { examples } from '../../src/cli/help/examples.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { checkout, housebill, launch } from './cli-fixture.ts'

/**
 * Examples that work without a database, a service or a file of the user's own. The others fail only for want of these.
 */
const completeAlone = /^(rates check reference\/|addresses generate |config check$|completion$)/

const atOnce = 4

test('no example is wrong usage, and those that need nothing else succeed', async (t) => {
  const folder = await temporaryFolder(t)
  await symlink(join(checkout, 'reference'), join(folder, 'reference'))
  const before = process.cwd()
  process.chdir(folder)
  t.after(() => process.chdir(before))
  // Nothing listens there, so that no example changes anything.
  const environment = {
    DATA_DIR: folder,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
    PUBLIC_URL: 'http://127.0.0.1:9',
    SANDBOX_CLIENT_ID: 'sb_example',
    SANDBOX_CLIENT_SECRET: 'example-secret',
  }
  const lines = Object.entries(examples).flatMap(([path, each]) => each.map((line) => `${path} ${line}`.trim()))
  // https://bills.example stands for a deployment, and no test may look it up.
  const runnable = lines.map((line) => line.replace('https://bills.example', 'http://127.0.0.1:9'))
  const script = runnable.map((line) => `printf '%s\\n' ${line}; printf '\\0'`).join('\n')
  const words = (await promisify(execFile)('bash', ['-c', script])).stdout.split('\0')
  const run = async (line: string) => {
    const args = (words[lines.indexOf(line)] ?? '').trimEnd().split('\n')
    // A start changes settings of its process.
    const { code, stderr } = await (line === 'serve' ? launch : housebill)(args, environment)
    assert.equal(code, completeAlone.test(line) ? 0 : 1, `${line}: ${stderr}`)
    assert.doesNotMatch(stderr, /Unexpected error|\n\s+at /, line)
  }
  const waiting = [...lines]
  const work = async () => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) await run(line)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await access(join(folder, 'addresses.csv'))
})
