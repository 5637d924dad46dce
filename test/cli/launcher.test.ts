import assert from 'node:assert/strict'
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { bin, checkout, runProgram } from './cli-fixture.ts'

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
