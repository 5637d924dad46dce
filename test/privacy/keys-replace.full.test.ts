import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { composeCipher } from '../../src/app/compose.ts'
import { followSigningKeys } from '../../src/partners/signing-keys.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { housebill } from '../cli/cli-fixture.ts'
import { call, connectPartner, getToken } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { withDatabase } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startSecondService } from '../support/second-service.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await startTestService()
const other = await startSecondService(service)
after(async () => {
  await other.stop()
  await service.stop()
})
const servers = [service.baseUrl, other.baseUrl]
const KeySet = Type.Object({ keys: Type.Array(Type.Object({ kid: Type.String() })) })
const Replaced = Type.Object({ oldKeyEnded: Type.Boolean() })
/** Runs the command, which must succeed. */
async function replace(...args: string[]) {
  const result = await housebill(['keys', 'replace', ...args, '--json'], {
    ...service.environment,
    LOG_LEVEL: 'error',
  })
  assert.equal(result.code, 0, result.stderr)
  const reason = args.length > 1 ? `${args[0]}, compromised` : args[0]
  assert.ok(result.stderr.includes(`"log":"security","event":"key.replaced","reason":"${reason}"`), result.stderr)
  return result
}

const newToken = (baseUrl = service.baseUrl) => getToken(baseUrl, service.credentials)
const signerOf = (token: string) => decodeProtectedHeader(token).kid
const publishedBy = async (baseUrl: string): Promise<string[]> => {
  const published: unknown = await (await fetch(`${baseUrl}/.well-known/jwks.json`)).json()
  return Value.Parse(KeySet, published).keys.map(({ kid }) => kid)
}
const statusAt = async (baseUrl: string, token: string) =>
  (await call(baseUrl, 'GET', '/partner-api/Quotes', undefined, { headers: { Authorization: `Bearer ${token}` } }))
    .status

/** The stored signing key, as somebody with the database and the encryption key can read it. */
const stealSigningKey = () =>
  withDatabase(service, async (db) => {
    const cipher = await composeCipher(db, await loadSecrets(service.environment, 'sandbox', service.config.dataDir))
    return followSigningKeys({ db, cipher, clock: systemClock })()
  })

test('replacing the signing key: both servers begin to sign with the new one, and accept every token all the while', async () => {
  const before = await newToken()
  assert.deepEqual((await replace('signing')).json(Replaced), { purpose: 'signing', oldKeyEnded: false })
  const made = [before]
  await waitFor('both servers sign with the new key', async () => {
    const fresh = await Promise.all(servers.map((server) => newToken(server)))
    made.push(...fresh)
    for (const server of servers)
      for (const token of [before, ...fresh]) assert.equal(await statusAt(server, token), 200)
    return fresh.every((token) => signerOf(token) !== signerOf(before))
  })
  const [old, renewed, ...others] = new Set(made.map(signerOf))
  assert.deepEqual(others, [])
  for (const server of servers) assert.deepEqual(await publishedBy(server), [renewed, old])
})

test('a replaced key verifies until the last of its tokens has expired, and the next replacement deletes it', async () => {
  const before = await newToken()
  await replace('signing')
  const age = (seconds: number) =>
    rawRows(service, `update key_ring set made_at = made_at - make_interval(secs => $1) where kind = 'signing'`, [
      seconds,
    ])
  await age(86_400)
  await waitFor('the new key signs', async () => signerOf(await newToken()) !== signerOf(before))
  assert.equal(await statusAt(service.baseUrl, before), 200)
  await age(61)
  await waitFor('the old key is rejected', async () => (await statusAt(service.baseUrl, before)) === 401)
  await replace('signing')
  const left = await rawRows(service, `select key_id from key_ring where kind = 'signing'`)
  assert.equal(left.length, 2)
})

test('with --compromised, no server accepts a token of any earlier key, not even one forged with the stolen key', async () => {
  const before = await newToken()
  const stolen = await stealSigningKey()
  const forge = () =>
    new SignJWT({ ...decodeJwt(before), jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: stolen.keyId })
      .sign(stolen.privateKey)
  for (const server of servers)
    for (const token of [before, await forge()]) assert.equal(await statusAt(server, token), 200)
  const result = await replace('signing', '--compromised')
  assert.equal(result.json(Replaced).oldKeyEnded, true)
  for (const server of servers) {
    for (const token of [before, await forge()])
      await waitFor(
        'the old key is rejected',
        () => statusAt(server, token),
        (status) => status === 401,
      )
    const renewed = await newToken(server)
    assert.notEqual(signerOf(renewed), stolen.keyId)
    assert.deepEqual(await publishedBy(server), [signerOf(renewed)])
    assert.equal(await statusAt(server, renewed), 200)
  }
})

test('replacing the link key keeps existing links; with --compromised they open nothing, and new ones do', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const newLink = async () =>
    new URL(succeeded(await partner.get(`/Customers/${lead}/pci-contract-url-html`)).contractUrl)
  const statusOf = async (link: URL, server = service.baseUrl) =>
    (await fetch(new URL(link.pathname + link.search, server))).status
  const before = await newLink()
  assert.equal((await replace('links')).json(Replaced).oldKeyEnded, false)
  const between = await newLink()
  for (const server of servers) for (const link of [before, between]) assert.equal(await statusOf(link, server), 200)
  await replace('links', '--compromised')
  for (const server of servers) {
    for (const link of [before, between])
      await waitFor(
        'the old link opens nothing',
        () => statusOf(link, server),
        (status) => status === 403,
      )
    assert.equal(await statusOf(await newLink(), server), 200)
  }
})

test('re-encryption after a leak says what it does not undo', async () => {
  const file = join(service.config.dataDir, 'encryption-keys')
  const old = (await readFile(file, 'utf8')).trim()
  await writeFile(file, `new:${randomBytes(32).toString('base64')},${old}\n`)
  const result = await replace('encryption', '--compromised')
  const { notes } = result.json(Type.Object({ notes: Type.Array(Type.String()) }))
  assert.match(notes.join(' '), /needs sandbox-1 any more.*Remove it now.*Backups.*replace signing --compromised/)
  const { keys } = (await housebill(['keys', 'status', '--json'], service.environment)).json(
    Type.Object({ keys: Type.Array(Type.Object({ state: Type.String() })) }),
  )
  assert.deepEqual(
    keys.map(({ state }) => state),
    ['current', 'retired'],
  )
})
