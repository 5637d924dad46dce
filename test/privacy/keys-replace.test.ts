import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { composeCipher } from '../../src/compose/compose.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import { followSigningKeys } from '../../src/domain/auth/signing-keys.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { bin, checkout, housebill } from '../cli/cli-fixture.ts'
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
const Replaced = Type.Object({ oldKeyVerifiesUntil: Type.Union([Type.String(), Type.Null()]) })
/** Runs the command, which must succeed. It prints its progress on standard error. */
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

test('replacing the signing key: both servers publish both keys, sign with the new one, and accept tokens of the old one', async () => {
  const before = await newToken()
  for (const server of servers) assert.equal(await statusAt(server, before), 200)
  const result = await replace('signing')
  const until = Date.parse(result.json(Replaced).oldKeyVerifiesUntil ?? '')
  assert.ok(until / 1000 > (decodeJwt(before).exp ?? 0), 'the old key verifies until its last token has expired')
  for (const server of servers) {
    const renewed = await waitFor(
      'the new key signs',
      () => newToken(server),
      (token) => signerOf(token) !== signerOf(before),
    )
    assert.deepEqual(await publishedBy(server), [signerOf(renewed), signerOf(before)])
    for (const each of servers) for (const token of [before, renewed]) assert.equal(await statusAt(each, token), 200)
  }
  const [row] = await rawRows(service, 'select private_jwk_encrypted as private from signing_keys where key_id = $1', [
    signerOf(before),
  ])
  assert.equal(row?.private, '', 'the private half of the old key is deleted')
})

/** Kills the replacement when it has announced a key, and returns the id of that key. */
async function announceAndKill(): Promise<string> {
  const known = await publishedBy(other.baseUrl)
  const child = spawn(process.execPath, [bin, 'keys', 'replace', 'signing', '--json'], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...service.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await once(child.stderr, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  const [announced] = await waitFor(
    'the announced key is published',
    async () => (await publishedBy(other.baseUrl)).filter((id) => !known.includes(id)),
    (ids) => ids.length === 1,
  )
  return String(announced)
}

test('a replacement that is killed continues with the key it had announced', async () => {
  const before = await newToken()
  const announced = await announceAndKill()
  assert.equal(await statusAt(service.baseUrl, await newToken()), 200)
  await replace('signing')
  const renewed = await waitFor(
    'the new key signs',
    () => newToken(),
    (token) => signerOf(token) !== signerOf(before),
  )
  assert.equal(signerOf(renewed), announced)
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
  const announced = await announceAndKill()
  const result = await replace('signing', '--compromised')
  assert.equal(result.json(Replaced).oldKeyVerifiesUntil, null)
  for (const server of servers) {
    for (const token of [before, await forge()])
      await waitFor(
        'the old key is rejected',
        () => statusAt(server, token),
        (status) => status === 401,
      )
    const renewed = await newToken(server)
    assert.deepEqual(await publishedBy(server), [signerOf(renewed)])
    assert.notEqual(signerOf(renewed), announced, 'an announced key may have leaked as well')
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
  const result = await replace('links')
  assert.ok(Date.parse(result.json(Replaced).oldKeyVerifiesUntil ?? '') > Date.now() + 3_600_000)
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
  const result = await replace('encryption', '--compromised')
  const { notes } = result.json(Type.Object({ notes: Type.Array(Type.String()) }))
  assert.match(notes.join(' '), /needs sandbox-1 any more.*Backups.*replace signing --compromised/)
  const { keys } = (await housebill(['keys', 'status', '--json'], service.environment)).json(
    Type.Object({ keys: Type.Array(Type.Object({ state: Type.String() })) }),
  )
  assert.deepEqual(
    keys.map(({ state }) => state),
    ['current', 'retired'],
  )
})
