import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Type, { type TSchema } from 'typebox'
import { connectPartner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { assertSucceeded, housebill } from './cli-fixture.ts'
import { ImportResult, IssuedCredentials, PublishResult } from './command-output.ts'

const folder = await mkdtemp(join(tmpdir(), 'housebill-cli-'))
const service = await startTestService()
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a command with --json in the environment of the running server. */
async function beside<Shape extends TSchema>(shape: Shape, ...args: string[]) {
  const run = await housebill([...args, '--json'], service.environment)
  assertSucceeded(run)
  return run.json(shape)
}

test('a new partner gets a token at once', async () => {
  const issued = await beside(
    IssuedCredentials,
    'partner',
    'create',
    '--name',
    'Acme Lettings',
    '--scopes',
    'quotes:read',
  )
  const connected = await connectPartner(service.baseUrl, issued)
  assert.equal((await connected.get('/Quotes')).status, 200)
  assert.equal((await connected.post('/Quotes', {})).status, 403)
})

test('a newly published rate card is immediately offered as the default', async () => {
  const shipped = await readFile('reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json', 'utf8')
  const file = join(folder, 'card.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(shipped), id: 'spring-card', name: 'Spring card' }))
  assert.equal((await beside(PublishResult, 'rates', 'publish', file)).isDefault, true)
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { versions } = succeeded(await partner.get('/Quotes/quoting-tool-versions'))
  assert.deepEqual(versions[0], { id: 'spring-card', name: 'Spring card', isDefault: true })
})

test('imported properties are found at once', async () => {
  const file = join(folder, 'homes.csv')
  await beside(
    Type.Object({ homes: Type.Literal(3) }),
    'addresses',
    'generate',
    '--count',
    '3',
    '--seed',
    '21',
    '--out',
    file,
  )
  assert.equal((await beside(ImportResult, 'addresses', 'import', file)).inserted, 3)
  const [, row = ''] = (await readFile(file, 'utf8')).split('\r\n')
  const [, , , , , postcode = '', uprn = ''] = row.split(',')
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const found = succeeded(await partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`))
  assert.ok(found.some((address) => address.uprn === uprn))
})
