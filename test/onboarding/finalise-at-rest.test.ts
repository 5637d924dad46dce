import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createFieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, psrContact, psrDetails, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const key = Buffer.alloc(32, 7)
const service = await startTestService({ ENCRYPTION_KEYS: `test:${key.toString('base64')}` })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const { tenants } = await startHousehold(partner)
const [lead = '', other = ''] = tenants
const submit = (details: unknown, more: Record<string, unknown> = {}) =>
  finalise(partner, lead, { psrDetails: details, ...more })

/** The column as stored in the database. */
async function storedPsr(customerId: string): Promise<string> {
  const [row] = await rawRows(service, 'select psr_encrypted as psr from customers where customer_id = $1', [
    customerId,
  ])
  return String(row?.psr)
}

test('stored PSR details are encrypted, bound to their row and contain nothing readable', async () => {
  const words = { password: 'orchid-password', communicationFormat: 'braille-please', notes: 'uses-oxygen-at-night' }
  const authorisedContact = psrContact({ lastName: 'Confidant', email: 'confidant@example.com' })
  const details = psrDetails({ ...words, authorisedContact, categories: [{ code: '04' }] })
  succeeded(await submit(details, { lastName: 'Unreadable', email: 'unreadable@example.com' }))
  const [row] = await rawRows(service, 'select * from customers where customer_id = $1', [lead])
  const text = JSON.stringify(row)
  for (const word of [
    ...Object.values(words),
    'Confidant',
    'confidant',
    'hasPsr',
    'Unreadable',
    'unreadable',
    '7700900',
  ])
    assert.equal(text.includes(word), false, word)
  const sealed = await storedPsr(lead)
  assert.match(sealed, /^test\.[A-Za-z0-9_-]+$/)
  for (const part of sealed.split('.'))
    assert.equal(/oxygen|orchid|hasPsr/.test(Buffer.from(part, 'base64url').toString('latin1')), false)

  const cipher = createFieldCipher([{ id: 'test', key }], key)
  const open = (customerId: string) =>
    JSON.parse(cipher.decrypt(sealed, { column: 'customers.psr', row: customerId }).toString())
  assert.deepEqual(open(lead), {
    ...details,
    authorisedContact: { ...authorisedContact, phone: '+447700900456' },
  })
  assert.throws(() => open(other))
  assert.throws(() => cipher.decrypt(sealed, { column: 'customers.personal', row: lead }))
})

test('the same PSR details stored twice have different ciphertexts', async () => {
  succeeded(await submit(psrDetails()))
  const first = await storedPsr(lead)
  succeeded(await submit(psrDetails()))
  assert.notEqual(await storedPsr(lead), first)
})

test('PSR details whose ciphertext has been moved to another row cause an error that reveals nothing', async () => {
  succeeded(await submit(psrDetails()))
  await rawRows(
    service,
    `update customers set psr_encrypted = (select psr_encrypted from customers where customer_id = $1)
     where customer_id = $2`,
    [lead, other],
  )
  const response = await fetch(`${service.baseUrl}/partner-api/Customers/${other}/export`, {
    headers: { Authorization: `Bearer ${partner.token}` },
  })
  assert.equal(response.status, 500)
  assert.match(await response.text(), /"code":"internal_error"/)
  await rawRows(service, 'update customers set psr_encrypted = null where customer_id = $1', [other])
})
