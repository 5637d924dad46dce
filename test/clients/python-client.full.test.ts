import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { shareTestService } from '../support/shared-service.ts'

/*
 * An older generator, in Java: version 4.3.1 reads OpenAPI 3.0 only and comes as a package from npm. This test needs Java and Python,
 * and is skipped where one of them is missing.
 */

const run = promisify(execFile)
const generator = fileURLToPath(
  new URL('../../node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar', import.meta.url),
)

async function isInstalled(program: string, argument: string): Promise<boolean> {
  return run(program, [argument]).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

const isPossible = (await isInstalled('java', '-version')) && (await isInstalled('python3', '--version'))

test('/openapi-3.0.json generates a Python client that compiles', { skip: !isPossible }, async (t) => {
  const service = await shareTestService()
  const folder = await mkdtemp(join(tmpdir(), 'housebill-python-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const document = await fetch(`${service.baseUrl}/openapi-3.0.json`)
  await writeFile(join(folder, 'openapi.json'), await document.text())
  const java = ['--add-opens', 'java.base/java.util=ALL-UNNAMED', '-jar', generator]
  const generated = await run('java', [...java, 'generate', '-i', 'openapi.json', '-g', 'python', '-o', 'client'], {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
  })
  assert.doesNotMatch(generated.stdout + generated.stderr, /\bERROR\b/)
  await run('python3', ['-m', 'compileall', '-q', 'client/openapi_client'], { cwd: folder })
})
