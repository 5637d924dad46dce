import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { typicalJourney } from '../../scripts/generated/clients/typical-journey.ts'
import { routes } from '../../src/http/routes/table.ts'
import { shareTestService } from '../support/shared-service.ts'

/* The Postman collection, run by newman, the command-line form of Postman's own runner. */

const newman = fileURLToPath(new URL('../../node_modules/.bin/newman', import.meta.url))
const collection = fileURLToPath(new URL('../../openapi/housebill.postman_collection.json', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'housebill-newman-'))
after(() => rm(folder, { recursive: true, force: true }))
const service = await shareTestService()

interface Execution {
  item: { name: string }
  response?: { code: number }
  assertions?: { assertion: string; error?: object }[]
}

/** Runs a folder of the collection with these variables. Returns what newman reports. */
async function runFolder(
  name: string,
  variables: Record<string, string>,
): Promise<{ isGreen: boolean; executions: Execution[] }> {
  const report = join(folder, 'report.json')
  const given = Object.entries(variables).flatMap(([key, value]) => ['--env-var', `${key}=${value}`])
  const output = ['--bail', '--reporters', 'json', '--reporter-json-export', report]
  const isGreen = await promisify(execFile)(process.execPath, [
    newman,
    'run',
    collection,
    '--folder',
    name,
    ...given,
    ...output,
  ]).then(
    () => true,
    (failure: { code?: unknown }) => {
      // newman ends with 1 if a request or a test failed, and with others if it could not run.
      if (failure.code === 1) return false
      throw failure
    },
  )
  const { run } = JSON.parse(await readFile(report, 'utf8'))
  return { isGreen, executions: run.executions }
}

test('the journey of the Postman collection runs from an address to a contract', async () => {
  const { isGreen, executions } = await runFolder('Journey', { baseUrl: service.baseUrl, ...service.credentials })
  const failed = executions.flatMap(({ item, assertions = [] }) =>
    assertions.filter(({ error }) => error !== undefined).map(({ assertion }) => `${item.name}: ${assertion}`),
  )
  assert.deepEqual(failed, [])
  assert.ok(isGreen)
  // The request for the token is listed under the first item too.
  assert.equal(new Set(executions.map(({ item }) => item.name)).size, typicalJourney.length)
  assert.deepEqual(new Set(executions.map(({ response }) => response?.code)), new Set([200]))
})

test('the journey fails with a wrong secret', async () => {
  const wrong = { baseUrl: service.baseUrl, clientId: service.credentials.clientId, clientSecret: 'wrong' }
  assert.equal((await runFolder('Journey', wrong)).isGreen, false)
})

test('the collection has a request for every operation', async () => {
  const { item } = JSON.parse(await readFile(collection, 'utf8')) as {
    item: { name: string; item: { name: string }[] }[]
  }
  const requested = item
    .filter(({ name }) => name !== 'Journey')
    .flatMap((group) => group.item.map(({ name }) => /\((\w+)\)$/.exec(name)?.[1]))
  const missing = routes.map(({ operationId }) => operationId).filter((operationId) => !requested.includes(operationId))
  assert.deepEqual(missing, [])
})
