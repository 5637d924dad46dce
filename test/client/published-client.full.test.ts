import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readClientSource } from '../../scripts/generated/clients/described-operations.ts'
import { published } from '../support/openapi-responses.ts'
import { shareTestService } from '../support/shared-service.ts'

/*
 * The package that a server gives: installed into an empty folder by its address, and used from JavaScript, TypeScript
 * and the command line.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = join(root, 'clients/typescript')
const folder = await mkdtemp(join(tmpdir(), 'housebill-consumer-'))
after(() => rm(folder, { recursive: true, force: true }))
const service = await shareTestService()

/** Runs a program in a folder. Fails with its output if it fails. */
async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const path = [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter)
  const { clientId, clientSecret } = service.credentials
  const access = { SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret }
  const options = { cwd, env: { ...process.env, ...access, PATH: path, npm_config_update_notifier: 'false' } }
  const { stdout } = await promisify(execFile)(program, args, options).catch(
    (failure: { stdout: string; stderr: string }) => assert.fail(`${program}: ${failure.stdout}${failure.stderr}`),
  )
  return stdout
}

before(async () => {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  // No registry: the library needs no other package, and what only its commands need is optional.
  const options = ['--no-audit', '--no-fund', '--registry=http://127.0.0.1:9', '--fetch-retries=0', '--omit=optional']
  await run(folder, 'npm', 'install', ...options, `${service.baseUrl}/downloads/housebill-client.tgz`)
})

test('the package that a server gives needs no other, and has the version and licence of the project', async () => {
  const installed = join(folder, 'node_modules/housebill-client')
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const ofProject = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  assert.deepEqual([manifest.version, manifest.license], [ofProject.version, ofProject.license])
  assert.equal(manifest.dependencies, undefined)
  const found = globSync('**/*', { cwd: installed, exclude: ['dist/**'] })
  assert.deepEqual(
    found.filter((path) => !/^(dist|types(\/[\w-]+\.d\.ts)?|package\.json|README\.md|LICENSE)$/.test(path)),
    [],
  )
  assert.deepEqual(Object.keys(manifest.optionalDependencies), ['commander', 'fraction.js', 'typebox'])
  for (const [name, range] of Object.entries(manifest.optionalDependencies))
    assert.equal(range, ofProject.dependencies[name], name)
})

test('the journey of the package checks a deployment, with the secret in its environment', async () => {
  for (const name of ['commander', 'fraction.js', 'typebox'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const args = ['journey', '--base-url', service.baseUrl, '--tenants', '1', '--json']
  const command = join(folder, 'node_modules/.bin/housebill-client')
  const walked = JSON.parse(await run(folder, command, ...args))
  assert.equal(walked.contracts.length, 1)
  assert.match(await run(folder, command, 'trigger', '--help'), /npx housebill-client trigger/)
})

test('the first quote of the README runs from plain JavaScript', async () => {
  const readme = await readFile(join(source, 'README.md'), 'utf8')
  const [, example = ''] = /^## The first quote\n\n```js\n([\s\S]*?)^```/m.exec(readme) ?? []
  const guide = await readFile(join(root, 'docs/clients.md'), 'utf8')
  assert.ok(guide.includes(example), 'docs/clients.md shows the same example')
  const program = example.replace('http://localhost:8080', service.baseUrl)
  assert.notEqual(program, example)
  await writeFile(join(folder, 'first-quote.js'), program)
  assert.match(await run(folder, process.execPath, 'first-quote.js'), /^£\d+(\.\d+)? a month\n$/)
})

test('every recorded request, response and message has the type that the client gives it', async () => {
  const { operations } = readClientSource(published.partner)
  const lines = operations.flatMap(({ operationId, ids, body, responseExample }) => {
    const method = `HousebillClient['${operationId}']`
    const answer = `Awaited<ReturnType<${method}>>`
    const request = body && declare(`${operationId}Request`, `Parameters<${method}>[${ids.length}]`, body.example)
    return [request ?? '', declare(`${operationId}Response`, answer, responseExample)]
  })
  const examples = JSON.parse(await readFile(join(root, 'src/platform/openapi/examples.json'), 'utf8'))
  const messages = Object.entries(examples.messages as Record<string, unknown>)
    .filter(([type]) => type in published.partner.webhooks)
    .map(([, message], index) => declare(`message${index}`, 'WebhookMessage', message))
  assert.ok(messages.length > 5)
  const imports = "import type { HousebillClient, WebhookMessage } from 'housebill-client'\n"
  await writeFile(join(folder, 'examples.ts'), imports + [...lines, ...messages].join(''))
  await writeFile(join(folder, 'consumer.ts'), consumer)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await run(folder, 'tsc')
  // The oldest compiler that is at hand: partners upgrade later than we do.
  await run(folder, join(root, 'test/clients/node_modules/.bin/tsc'))

  await writeFile(
    join(folder, 'wrong.ts'),
    "import type { Quote } from 'housebill-client'\nexport const id: Quote['quoteId'] = 1\n",
  )
  await assert.rejects(run(folder, 'tsc'), /wrong\.ts\(2,14\): error TS2322/)
})

const compilerOptions = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
}

function declare(name: string, type: string, value: unknown): string {
  return `export const ${name}: ${type} = ${JSON.stringify(value)}\n`
}

/** What a partner's program relies on: results are typed, codes narrow, messages are told apart by their type. */
const consumer = `import { HousebillClient, isApiError, verifyWebhook, type Quote } from 'housebill-client'

export async function use(client: HousebillClient, body: Uint8Array, headers: Headers): Promise<string> {
  const quote: Quote = await client.getQuote('quote_1')
  for await (const event of client.listEvents({ order: 'oldest' }))
    if (event.type === 'quote.status.changed') return event.data.quoteId
  const message = await verifyWebhook(body, headers, ['whsec_a', 'whsec_b'])
  if (message.type === 'webhook.verification') return message.data.challenge
  try {
    await client.cancelQuote(quote.quoteId)
  } catch (error) {
    if (isApiError(error, 'quote_cancelled')) return error.code satisfies 'quote_cancelled'
    throw error
  }
  return quote.status
}
`
