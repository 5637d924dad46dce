import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import Type from 'typebox'
import { bin, checkout, housebill } from '../cli/cli-fixture.ts'
import { ageHashKeys } from '../support/ageing-keys.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { startSecondService } from '../support/second-service.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await startTestService()
const other = await startSecondService(service)
const stopAgeing = ageHashKeys(service)
after(async () => {
  await stopAgeing()
  await other.stop()
  await service.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
const partners = [partner, await connectPartner(other.baseUrl, service.credentials)]

const hashOf = async (customerId: string): Promise<string> => {
  const [row] = await rawRows(service, 'select email_hash as hash from customers where customer_id = $1', [customerId])
  return String(row?.hash)
}
async function allHashesAreOfTheCurrentKey(): Promise<void> {
  const marks = await rawRows(
    service,
    `select split_part(email_hash, '.', 1) as mark from customers
     union select split_part(phone_hash, '.', 1) from customers where phone_hash <> ''
     union select split_part(reference_hash, '.', 1) from quotes where reference_hash is not null`,
  )
  const current = await rawRows(
    service,
    `select key_id as mark from key_ring where kind = 'hashes' order by made_at desc limit 1`,
  )
  assert.deepEqual(marks, current)
}
const Replaced = Type.Object({
  purpose: Type.String(),
  replaced: Type.Integer(),
  resumed: Type.Boolean(),
  oldKeyEnded: Type.Boolean(),
})
const storedKeys = () => rawRows(service, `select key_id as name from key_ring where kind = 'hashes' order by made_at`)
/** Creates a quote, or repeats the request: the same key and body. Returns whether the response was a stored one. */
const createOnce = async (each: Partner) => {
  const { addressUid } = ordinaryProperty()
  const headers = { 'Idempotency-Key': 'before-the-replacement' }
  const response = await each.post('/Quotes', { addressUid }, { headers })
  return response.status === 200 ? response.headers.get('idempotent-replayed') : response.status
}
const emailOf = async (customerId: string) =>
  succeeded(await partner.get(`/Customers/${customerId}`)).personalDetails.email

/** Starts the command and kills it once it has printed this on standard error. */
async function killAt(printed: string): Promise<void> {
  const child = spawn(process.execPath, [bin, 'keys', 'replace', 'hashes', '--json'], {
    cwd: checkout,
    env: { PATH: process.env.PATH, ...service.environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    if (text.includes(printed)) child.kill('SIGKILL')
  })
  await once(child, 'close')
  assert.ok(text.includes(printed), text)
}

test('while the key of e-mail hashes is replaced, and after kills at two steps, no server accepts a duplicate e-mail', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { tenants: 3, reference: 'order 1' })
  const [lead = '', second = '', third = ''] = tenants
  const oldHash = await hashOf(lead)
  const oldReference = await rawRows(service, 'select reference_hash as hash from quotes where quote_id = $1', [
    quoteId,
  ])
  const email = await emailOf(lead)

  const duplicatesAreRejected = async () => {
    for (const each of partners) {
      const { data } = succeeded(await each.get('/Quotes?reference=order%201'))
      assert.deepEqual(
        data.map((quote) => quote.quoteId),
        [quoteId],
        'the quote is found by its reference',
      )
      rejected(await each.patch(`/Customers/${second}`, { email }), 422, 'duplicate_tenant')
      rejected(await finalise(each, second, { email }), 422, 'duplicate_tenant')
      rejected(
        await each.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [{ name: 'Same Address', email }] }),
        422,
        'duplicate_tenant',
      )
    }
  }
  assert.equal(await createOnce(partner), null)
  await killAt('"made"')
  await duplicatesAreRejected()
  await killAt('"done"')
  // The first tenant's hash and that of the reference become ones that were not yet replaced, and the second tenant's
  // hash is of the new key.
  await rawRows(service, 'update customers set email_hash = $2 where customer_id = $1', [lead, oldHash])
  await rawRows(service, 'update quotes set reference_hash = $1 where quote_id = $2', [oldReference[0]?.hash, quoteId])
  await waitFor(
    'both servers hash with the new key',
    async () => {
      const hashes: string[] = []
      for (const [index, each] of partners.entries()) {
        succeeded(await each.patch(`/Customers/${third}`, { email: `third${index}@example.com` }))
        hashes.push(await hashOf(third))
      }
      return hashes
    },
    (hashes) => hashes.every((hash) => /^[0-9a-f]{12}\./.test(hash)),
  )
  await duplicatesAreRejected()

  const result = await housebill(['keys', 'replace', 'hashes', '--json'], service.environment)
  assert.equal(result.code, 0, result.stderr)
  assert.deepEqual(result.json(Replaced), { purpose: 'hashes', replaced: 2, resumed: true, oldKeyEnded: false })
  await allHashesAreOfTheCurrentKey()
  assert.notEqual(await hashOf(lead), oldHash)
  await duplicatesAreRejected()
  for (const each of partners) assert.equal(await createOnce(each), 'true', 'the old key recognises repeated requests')

  await rawRows(service, `update idempotency_keys set expires_at = now()`)
  const last = await housebill(['keys', 'replace', 'hashes', '--json'], service.environment)
  assert.deepEqual(last.json(Replaced), { purpose: 'hashes', replaced: 0, resumed: true, oldKeyEnded: true })
  assert.equal((await storedKeys()).length, 1)
  await duplicatesAreRejected()
  assert.equal(await createOnce(partner), null)
})

test('with --compromised, the key of an interrupted replacement is replaced too, and every earlier key is deleted', async () => {
  await killAt('"made"')
  const before = await storedKeys()
  assert.ok(before.length > 1)
  const result = await housebill(['keys', 'replace', 'hashes', '--compromised', '--json'], service.environment)
  assert.equal(result.code, 0, result.stderr)
  const { resumed, oldKeyEnded } = result.json(Replaced)
  assert.deepEqual([resumed, oldKeyEnded], [false, true])
  const [kept, ...more] = await storedKeys()
  assert.deepEqual([before.some(({ name }) => name === kept?.name), more], [false, []])
  for (const each of partners)
    await waitFor(
      'a request from before is no longer recognised, and has no second effect',
      () => createOnce(each),
      (outcome) => outcome === 422,
    )
})

test('rows that change in the moment of their replacement are replaced in the next round, and a new server and the commands work with the new keys', async () => {
  // The first update of each row finds nothing, as if the row had changed since it was read.
  const [rows] = await rawRows(
    service,
    'select (select count(*) from customers) + (select count(reference_hash) from quotes) as count',
  )
  await rawRows(
    service,
    `create sequence attempts;
     create function skip_first() returns trigger language plpgsql security definer as
       $$ begin return case when nextval('public.attempts') > ${Number(rows?.count)} then new end; end $$;
     create trigger skip before update on customers for each row execute function skip_first();
     create trigger skip before update on quotes for each row execute function skip_first();`,
  )
  const keyFile = join(service.config.dataDir, 'encryption-keys')
  await writeFile(keyFile, `new:${randomBytes(32).toString('base64')},${await readFile(keyFile, 'utf8')}`)
  for (const kind of ['hashes', 'encryption']) {
    const environment = { ...service.environment, LOG_LEVEL: 'error' }
    const result = await housebill(['keys', 'replace', kind, '--json'], environment)
    assert.equal(result.code, 0, result.stderr)
    assert.match(result.stderr, new RegExp(`"log":"security","event":"key.replaced","reason":"${kind}"`))
  }
  await allHashesAreOfTheCurrentKey()
  await rawRows(service, 'drop function skip_first cascade; drop sequence attempts')
  const third = await startSecondService(service)
  const connected = await connectPartner(third.baseUrl, service.credentials)
  const { tenants } = await startHousehold(connected, { tenants: 2 })
  const [lead = '', second = ''] = tenants
  rejected(await connected.patch(`/Customers/${second}`, { email: await emailOf(lead) }), 422, 'duplicate_tenant')
  await third.stop()
})
