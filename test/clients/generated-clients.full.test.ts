import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

/*
 * Clients that other tools generate from the document of a running sandbox: they must compile with strict settings, and
 * a walk through the journey (`walks/`) uses each of them. The generators need TypeScript 5, so this folder has its own
 * package.json.
 */

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const service = await shareTestService()

/** Runs a program of this folder's or the project's packages. Fails with its output if it fails. */
async function run(program: string, ...args: string[]): Promise<void> {
  const path = [`${folder}node_modules/.bin`, `${root}node_modules/.bin`, process.env.PATH ?? ''].join(delimiter)
  await promisify(execFile)(program, args, { cwd: folder, env: { ...process.env, PATH: path } }).catch(
    (failure: { stdout: string; stderr: string }) => assert.fail(`${program}: ${failure.stdout}${failure.stderr}`),
  )
}

before(async () => {
  await rm(`${folder}generated`, { recursive: true, force: true })
  await mkdir(`${folder}generated`)
  const document = await fetch(`${service.baseUrl}/openapi.json`)
  await writeFile(`${folder}generated/openapi.json`, await document.text())
  await Promise.all([
    run('openapi-typescript', 'generated/openapi.json', '--output', 'generated/openapi-typescript/schema.d.ts'),
    run('node', 'generate.ts'),
  ])
})

test('the clients of two generators, and calls of them, compile with strict settings', async () => {
  await run('tsc', '--project', folder)
})

for (const generator of ['openapi-fetch', 'hey-api']) {
  test(`the client of ${generator} takes a tenant from a token to the accepted terms`, async () => {
    const { walk } = await import(new URL(`walks/${generator}.ts`, import.meta.url).href)
    const sandbox = { baseUrl: service.baseUrl, ...service.credentials, postcode: 'NR4 7TJ' }
    const { status, totalCost, rejection, countCompleted } = await walk(sandbox)
    assert.equal(status, 'OnboardingComplete')
    assert.ok(Number.isInteger(totalCost) && totalCost > 10_000, String(totalCost))
    assert.equal(rejection, 'already_onboarded')
    await waitFor('the event of the completed quote', countCompleted, (count) => Number(count) >= 1)
  })
}
