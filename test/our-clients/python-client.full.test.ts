import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkResponse } from '../support/openapi-responses.ts'
import type { TestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'
import {
  apiDocument,
  type CallOperation,
  operations,
  printedResponse,
  sampleOf,
  walkEveryOperation,
} from './walk-every-operation.ts'

/* The Python client. These tests need Python 3.11 or newer, and are skipped, with a note in the report, where it is missing. */

const home = fileURLToPath(new URL('../../clients/python', import.meta.url))
const programs = fileURLToPath(new URL('python', import.meta.url))
const environment = { ...process.env, PYTHONPATH: home, PYTHONDONTWRITEBYTECODE: '1' }

const isNewEnough = await promisify(execFile)('python3', [
  '-c',
  'import sys; sys.exit(sys.version_info < (3, 11))',
]).then(
  () => true,
  (error: { code?: unknown }) => {
    if (error.code === 'ENOENT' || error.code === 1) return false
    throw error
  },
)
const skip = isNewEnough ? false : 'Python 3.11 or newer is not installed: the Python client is NOT tested'
if (skip) console.warn(skip)

/** Runs a Python program with this input. Returns its output, and fails with its errors if it fails. */
async function python(parameters: readonly string[], input = ''): Promise<string> {
  const child = spawn('python3', parameters, { env: environment, cwd: home, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const [output, errors, code] = await Promise.all([
    child.stdout.setEncoding('utf8').toArray(),
    child.stderr.setEncoding('utf8').toArray(),
    new Promise((resolve) => child.on('close', resolve)),
  ])
  assert.equal(code, 0, errors.join(''))
  return output.join('')
}

test('the own tests of the Python client pass', { skip }, async () => {
  await python(['-m', 'unittest', 'tests.test_client'])
})

test('the samples of the reference take a household through every operation, and print documented responses', {
  skip,
}, async (t) => {
  const children: { kill(): unknown }[] = []
  t.after(() => children.forEach((child) => void child.kill()))
  const called = await walkEveryOperation((service) => {
    const { child, call } = startPython(service)
    children.push(child)
    return call
  })
  assert.deepEqual([...called].sort(), operations.map(({ operationId }) => operationId).sort())
})

/** A Python process that runs the samples it is given, one after the other. */
function startPython(service: TestService): { child: { kill(): unknown }; call: CallOperation } {
  const child = spawn('python3', ['run_samples.py'], {
    env: environment,
    cwd: programs,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    async call(operation, input) {
      child.stdin.write(`${JSON.stringify(sampleOf('python', operation, input, service))}\n`)
      const { value: line } = await lines.next()
      assert.ok(line !== undefined, `${operation.operationId}: Python ended`)
      const body = printedResponse(operation, JSON.parse(line))
      const headers = new Headers({ 'content-type': 'application/json' })
      checkResponse(operation.method, operation.path, { status: 200, headers, body, text: JSON.stringify(body) })
      return body
    },
  }
}

test('every Python sample of the reference calls its operation, with arguments that the client accepts', {
  skip,
}, async () => {
  const samples = await readFile(new URL('../../src/http/openapi/samples.json', import.meta.url), 'utf8')
  const called = JSON.parse(await python([`${programs}/check_samples.py`], samples))
  assert.deepEqual(
    called,
    operations.map(({ operationId }) => operationId),
  )
})

test('every recorded request, response and message has exactly the members of its Python type', { skip }, async () => {
  const examples = JSON.parse(await readFile(new URL('../../src/http/openapi/examples.json', import.meta.url), 'utf8'))
  const messages = Object.entries(examples.messages as Record<string, unknown>)
    .filter(([type]) => type in apiDocument.webhooks)
    .map(([, message]) => ['WebhookMessage', message] as const)
  const bodies = operations.flatMap(({ body, response, responseExample }) => [
    ...(body === undefined ? [] : [[nameOf(body.schema), body.example] as const]),
    [nameOf(response), responseExample] as const,
  ])
  const values = [...bodies, ...messages]
  const count = await python([`${programs}/check_types.py`], JSON.stringify(values))
  assert.equal(Number(count), values.length)
})

function nameOf({ $ref = '', items }: { $ref?: string; items?: { $ref?: string } }): string {
  return items === undefined ? $ref.replace(/.*\//, '') : `list[${nameOf(items)}]`
}

test('the first quote of the README runs', { skip }, async () => {
  const { baseUrl, credentials } = await shareTestService()
  const readme = await readFile(`${home}/README.md`, 'utf8')
  const [, example = ''] = /^## The first quote\n\n```python\n([\s\S]*?)^```/m.exec(readme) ?? []
  const guide = await readFile(new URL('../../docs/clients.md', import.meta.url), 'utf8')
  assert.ok(guide.includes(example), 'docs/clients.md shows the same example')
  const program = example
    .replace('http://localhost:8080', baseUrl)
    .replace('sb_example', credentials.clientId)
    .replace('example-secret', credentials.clientSecret)
  assert.match(await python(['-c', program]), /^£\d+(\.\d+)? a month\n$/)
})

test('the Python client has the version of the API document', async () => {
  const manifest = await readFile(`${home}/pyproject.toml`, 'utf8')
  assert.equal(/^version = "(.+)"$/m.exec(manifest)?.[1], apiDocument.info.version)
})
