import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../support/embedded-postgres-fixture.ts'
import { startTestService } from '../support/service.ts'
import { checkout, runProgram } from './cli-fixture.ts'

test('pasting the whole curl tour of the README into a shell ends with the contract', async (t) => {
  const readme = await readFile(join(checkout, 'README.md'), 'utf8')
  const [, section = ''] = readme.split('## Five minutes with curl')
  const [tour = ''] = section.split('\n## ')
  const [start = '', ...blocks] = [...tour.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
  const [, SANDBOX_CLIENT_ID = '', SANDBOX_CLIENT_SECRET = ''] =
    /^SANDBOX_CLIENT_ID=(\S+) SANDBOX_CLIENT_SECRET=(\S+) npm start$/m.exec(start) ?? []
  const service = await startTestService({ SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET, PUBLIC_URL: '' })
  t.after(() => service.stop())
  const folder = await temporaryFolder(t)
  const script = blocks.join('').replaceAll('http://localhost:8080', service.config.server.publicUrl)

  const run = await runProgram('bash', ['-eu', '-o', 'pipefail', '-c', script], {}, folder)
  assert.deepEqual({ code: run.code, stderr: run.stderr }, { code: 0, stderr: '' })
  assert.doesNotMatch(run.stdout, /undefined|"error"/)
  assert.match(
    run.stdout,
    /\n\[\n? *\{ tenantName: 'Ada Lovelace', monthlyCost: \d+ \},\n? *\{ tenantName: 'Grace Hopper'/,
  )
  assert.match(run.stdout, /\nOnboardingComplete\n/)
  const contract = await readFile(join(folder, 'contract.pdf'))
  assert.equal(contract.subarray(0, 5).toString(), '%PDF-')
})
