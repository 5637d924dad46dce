import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import Type from 'typebox'
import { assertFailedAsJson, housebill, prepareEnvironment } from '../cli/cli-fixture.ts'
import { call, connectPartner, getToken } from '../support/client.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startSecondService } from '../support/second-service.ts'

const prepared = await prepareEnvironment()
const credentials = { clientId: 'sb_keys', clientSecret: 'a-secret-for-the-test-of-keys' }
const environment = {
  ...prepared.environment,
  SANDBOX_CLIENT_ID: credentials.clientId,
  SANDBOX_CLIENT_SECRET: credentials.clientSecret,
  // Tokens name the address of the service, and each start has a port of its own.
  PUBLIC_URL: 'http://localhost:8080',
  LOG_LEVEL: 'error',
}
after(() => prepared.drop())

const replace = (...args: string[]) => housebill(['keys', 'replace', ...args, '--json'], environment)
/** Replaces a key, and asserts that the security log says so. */
async function replaced(...args: string[]) {
  const result = await replace(...args)
  assert.equal(result.code, 0, result.stderr)
  const reason = args.length > 1 ? `${args[0]}, compromised` : args[0]
  assert.ok(result.stderr.includes(`"log":"security","event":"key.replaced","reason":"${reason}"`), result.stderr)
  return result
}
const signerOf = (token: string) => decodeProtectedHeader(token).kid

test('after a restart, new keys make and earlier ones are accepted; those that leaked are not', async () => {
  let server = await startSecondService({ environment })
  const restart = async (change: () => Promise<unknown>) => {
    await server.stop()
    await change()
    server = await startSecondService({ environment })
  }
  const newToken = () => getToken(server.baseUrl, credentials)
  const statusOf = async (token: string) =>
    (
      await call(server.baseUrl, 'GET', '/partner-api/Quotes', undefined, {
        headers: { Authorization: `Bearer ${token}` },
      })
    ).status
  const openLink = async (link: URL) => (await fetch(new URL(link.pathname + link.search, server.baseUrl))).status
  try {
    const partner = await connectPartner(server.baseUrl, credentials)
    const { quoteId, tenants, addressUid } = await startHousehold(partner, { tenants: 2, reference: 'order 1' })
    const [lead = '', second = ''] = tenants
    const once = { headers: { 'Idempotency-Key': 'before-the-replacement' } }
    const { quoteId: created } = succeeded(await partner.post('/Quotes', { addressUid }, once))
    const { lead: signed } = await startHousehold(partner, { tenants: 1 })
    await onboard(partner, signed)
    const linkOf = async (by = partner) =>
      new URL(succeeded(await by.get(`/Customers/${signed}/pci-contract-url-html`)).contractUrl)
    const [token, link] = [await newToken(), await linkOf()]
    const { email } = succeeded(await partner.get(`/Customers/${lead}`)).personalDetails
    assertFailedAsJson(await replace('hashes'), 'server_running')

    await restart(async () => {
      for (const kind of ['signing', 'links', 'hashes']) await replaced(kind)
    })
    const renewed = await newToken()
    assert.notEqual(signerOf(renewed), signerOf(token))
    assert.deepEqual([await statusOf(token), await statusOf(renewed), await openLink(link)], [200, 200, 200])
    const after = await connectPartner(server.baseUrl, credentials)
    const { data } = succeeded(await after.get('/Quotes?reference=order%201'))
    assert.deepEqual(
      data.map((quote) => quote.quoteId),
      [quoteId],
    )
    rejected(await after.patch(`/Customers/${second}`, { email }), 422, 'duplicate_tenant')
    assert.equal(succeeded(await after.post('/Quotes', { addressUid }, once)).quoteId, created)
    const between = await linkOf(after)

    await restart(async () => {
      for (const kind of ['signing', 'links']) await replaced(kind, '--compromised')
    })
    for (const old of [token, renewed]) assert.equal(await statusOf(old), 401)
    for (const old of [link, between]) assert.equal(await openLink(old), 403)
    const last = await connectPartner(server.baseUrl, credentials)
    assert.deepEqual([await statusOf(last.token), await openLink(await linkOf(last))], [200, 200])
    rejected(await last.patch(`/Customers/${second}`, { email }), 422, 'duplicate_tenant')
  } finally {
    await server.stop()
  }
})

test('re-encryption after a leak says what it does not undo', async () => {
  const file = join(prepared.folder, 'encryption-keys')
  const old = (await readFile(file, 'utf8')).trim()
  await writeFile(file, `new:${randomBytes(32).toString('base64')},${old}\n`)
  const result = await replaced('encryption', '--compromised')
  const { notes } = result.json(Type.Object({ notes: Type.Array(Type.String()) }))
  assert.match(notes.join(' '), /needs sandbox-1 any more.*Remove it now.*Backups.*replace signing --compromised/)
  const { keys } = (await housebill(['keys', 'status', '--json'], environment)).json(
    Type.Object({ keys: Type.Array(Type.Object({ state: Type.String() })) }),
  )
  assert.deepEqual(
    keys.map(({ state }) => state),
    ['current', 'retired'],
  )
})
