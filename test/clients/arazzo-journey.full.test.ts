import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { typicalJourney } from '../../scripts/generated/clients/typical-journey.ts'
import { shareTestService } from '../support/shared-service.ts'

/* The Arazzo document, run by Redocly's `respect`, which also compares each response with its schema in the API document. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'housebill-respect-'))
after(() => rm(folder, { recursive: true, force: true }))
const service = await shareTestService()

interface Step {
  stepId: string
  checks: { name: string; status: string; message: string }[]
}

/** Runs the document with these inputs. Returns its steps, with what was checked. */
async function respect(inputs: Record<string, string>): Promise<{ isGreen: boolean; steps: Step[] }> {
  const report = join(folder, 'report.json')
  const given = Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`])
  const parameters = ['--server', `housebill=${service.baseUrl}`, '--json-output', report, ...given]
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const program = [join(root, 'node_modules/.bin/redocly'), 'respect', 'openapi/journey.arazzo.yaml']
  const isGreen = await promisify(execFile)(process.execPath, [...program, ...parameters], { cwd: root, env }).then(
    () => true,
    (failure: { code?: unknown }) => {
      // The command ends with 1 if a check failed.
      if (failure.code === 1) return false
      throw failure
    },
  )
  const { files } = JSON.parse(await readFile(report, 'utf8'))
  const [file] = Object.values(files) as { executedWorkflows: { executedSteps: Step[] }[] }[]
  return { isGreen, steps: file?.executedWorkflows.flatMap(({ executedSteps }) => executedSteps) ?? [] }
}

test('the Arazzo journey runs from a token to a contract, and every response has the documented shape', async () => {
  const { isGreen, steps } = await respect(service.credentials)
  const failed = steps.flatMap(({ stepId, checks }) =>
    checks.filter(({ status }) => status !== 'success').map(({ message }) => `${stepId}: ${message}`),
  )
  assert.deepEqual(failed, [])
  assert.ok(isGreen)
  assert.deepEqual(
    steps.map(({ stepId }) => stepId),
    ['issueToken', ...typicalJourney.map(({ operationId }) => operationId)],
  )
  for (const { stepId, checks } of steps)
    assert.ok(
      checks.some(({ name }) => /schema/i.test(name)),
      stepId,
    )
})

test('the Arazzo journey fails with a wrong secret', async () => {
  const { isGreen } = await respect({ ...service.credentials, clientSecret: 'wrong' })
  assert.equal(isGreen, false)
})
