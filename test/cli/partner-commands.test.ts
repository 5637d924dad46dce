import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, connectPartner } from '../support/client.ts'
import { startTestService } from '../support/service.ts'
import { assertDone, assertRefused, assertRefusedAsJson, housebill } from './cli-fixture.ts'

const service = await startTestService()
after(() => service.stop())

const partner = (...args: string[]) => housebill(['partner', ...args], service.environment)
const tokenStatus = async (clientId: string, clientSecret: string) =>
  (await call(service.baseUrl, 'POST', '/partner-api/Auth/token', { clientId, clientSecret })).status

test('a partner created beside the running server can get a token at once, and its secret is told once', async () => {
  const run = await partner('create', '--name', 'Acme Lettings', '--json')
  assertDone(run)
  const { partnerId, clientId, clientSecret, ...rest } = run.json()
  assert.deepEqual(rest, {})
  assert.match(clientId, /^sb_/)
  assert.equal(await tokenStatus(clientId, clientSecret), 200)

  const listed = await partner('list', '--json')
  assertDone(listed)
  const { createdAt, ...found } = listed
    .json()
    .partners.find((each: { partnerId: string }) => each.partnerId === partnerId)
  assert.deepEqual(found, {
    partnerId,
    name: 'Acme Lettings',
    status: 'active',
    clientIds: [clientId],
    disabledAt: null,
  })
  assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)
  assert.doesNotMatch(listed.stdout, new RegExp(clientSecret))
})

test('without --json the credentials are JSON for reading, and standard error says to keep the secret', async () => {
  const run = await partner('create', '--name', '  Ünïcode Homes 学  ')
  assert.equal(run.code, 0)
  assert.match(run.stdout, /^\{\n {2}"partnerId"/)
  assert.deepEqual(Object.keys(run.json()), ['partnerId', 'clientId', 'clientSecret'])
  assert.match(run.stderr, /Keep the secret now/)
  const listed = await partner('list')
  assertDone(listed)
  const [heading = '', ...rows] = listed.stdout.trimEnd().split('\n')
  const row = rows.find((line) => line.includes('Ünïcode Homes 学')) ?? ''
  assert.match(heading, /^ {2}NAME +PARTNER ID +CLIENT IDS +CREATED +STATUS$/)
  assert.equal(row.indexOf(run.json().partnerId), heading.indexOf('PARTNER ID'))
})

test('a rotated secret replaces the old one', async () => {
  const { clientId, clientSecret } = (await partner('create', '--name', 'Rotating', '--json')).json()
  const run = await partner('rotate-secret', clientId, '--json')
  assertDone(run)
  assert.equal(run.json().clientId, clientId)
  assert.equal(await tokenStatus(clientId, clientSecret), 401)
  assert.equal(await tokenStatus(clientId, run.json().clientSecret), 200)
})

test('rotating the secret that the environment sets says that the next start brings it back', async () => {
  const { clientId } = service.credentials
  const asJson = await partner('rotate-secret', clientId, '--json')
  assertDone(asJson)
  assert.match(asJson.json().notes.join(), /SANDBOX_CLIENT_SECRET is set/)
  const forPeople = await partner('rotate-secret', clientId)
  assert.match(forPeople.stderr, /SANDBOX_CLIENT_SECRET is set/)
})

test('a disabled partner loses its credentials and its tokens within seconds, by partner id or client id', async () => {
  for (const name of ['partnerId', 'clientId']) {
    const issued = (await partner('create', '--name', `By ${name}`, '--json')).json()
    const connected = await connectPartner(service.baseUrl, issued)
    assert.equal((await connected.get('/Quotes')).status, 200)

    const run = await partner('disable', issued[name], '--json')
    assertDone(run)
    assert.equal(run.json().partnerId, issued.partnerId)
    assert.equal(run.json().status, 'disabled')
    const deadline = Date.now() + 5_000
    while ((await connected.get('/Quotes')).status !== 401 && Date.now() < deadline) await sleep(100)
    assert.equal((await connected.get('/Quotes')).status, 401)
    assert.equal(await tokenStatus(issued.clientId, issued.clientSecret), 401)

    const again = await partner('disable', issued[name])
    assertDone(again)
    assert.match(again.stdout, new RegExp(`^By ${name} \\(${issued.partnerId}\\) is disabled since 2`))
    const listed = (await partner('list', '--json')).json().partners
    const { disabledAt } = listed.find((each: { partnerId: string }) => each.partnerId === issued.partnerId)
    assert.equal(disabledAt, run.json().disabledAt)
  }
})

test('an unknown partner or client id is refused', async () => {
  assertRefused(await partner('disable', 'partner_none'), /^Neither a partner nor a client id is called partner_none/)
  assertRefused(await partner('rotate-secret', 'sb_none'), /^No client id sb_none exists/)
  assertRefusedAsJson(await partner('disable', 'partner_none', '--json'), 'not_found')
  assertRefusedAsJson(await partner('rotate-secret', 'sb_none', '--json'), 'not_found')
})
