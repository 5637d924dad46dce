import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { checkout } from '../cli/cli-fixture.ts'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { masked, readGuide, stepsOf } from '../web/guides/guide-shell.ts'

/** The guides whose examples are in several languages. Those after the first go on where it ends. */
export const guides = ['quickstart', 'sell-without-screens', 'errors-and-retries', 'webhooks', 'sandbox']

/**
 * Runs the examples of a guide in a language as one program, after those of the quickstart, with credentials in its
 * environment. Fails if it fails, or prints something else than the guide says.
 */
export async function runExamples(
  t: TestContext,
  { baseUrl, credentials }: ServiceUnderTest,
  guide: string,
  { language, program, file }: { language: 'ts' | 'python'; program: string; file: string },
): Promise<void> {
  const folder = await temporaryFolder(t)
  const client = join(folder, 'node_modules/housebill-client')
  await mkdir(client, { recursive: true })
  await writeFile(join(client, 'package.json'), '{ "type": "module", "exports": "./entry.js" }')
  await writeFile(join(client, 'entry.js'), `export * from '${checkout}clients/typescript/src/entry.ts'\n`)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const read = async (name: string) => stepsOf(await readGuide(name), language)
  const own = guide === 'quickstart' ? [] : await read(guide)
  const quickstart = await read('quickstart')
  // Other guides go on from the first quote. The last step of the quickstart takes it to contracts.
  const steps = own.length > 0 ? [...quickstart.slice(0, -1), ...own] : quickstart
  assert.ok(quickstart.length > 1 && (guide === 'quickstart' || own.length > 0))
  const code = steps
    .map(({ commands }) => commands)
    .join('\n')
    .replaceAll('http://localhost:8080', baseUrl)
  await writeFile(join(folder, file), code)
  const { clientId, clientSecret } = credentials
  const secrets = { SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret }
  const env = { PATH: process.env.PATH, ...(language === 'ts' ? loopbackOnlyEnvironment : {}), ...secrets }
  const { stdout } = await promisify(execFile)(program, [file], { cwd: folder, env })
  assert.doesNotMatch(stdout, /undefined|None/)
  for (const { printed = '' } of steps) assert.ok(masked(stdout).includes(masked(printed)), stdout)
}
