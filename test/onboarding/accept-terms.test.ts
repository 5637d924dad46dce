import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { createFieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import { type CallOptions, connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, psrContact, psrDetails, startHousehold } from '../support/household.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const key = Buffer.alloc(32, 9)
const service = await startTestService({ ENCRYPTION_KEYS: `test:${key.toString('base64')}` })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const accept = (customerId: string, body?: unknown, options?: CallOptions) =>
  partner.post(`/Customers/${customerId}/accept-terms`, body, options)
/** A household whose tenants all have a card attached. */
async function readyHousehold(tenants = 1) {
  const household = await startHousehold(partner, { tenants })
  for (const tenant of household.tenants) {
    succeeded(await finalise(partner, tenant))
    await attachCard(partner, tenant)
  }
  return household
}

test('the terms are accepted and the customer is onboarded if a card is attached', async () => {
  const { lead } = await readyHousehold()
  const before = Date.now()
  const { termsAcceptedAt, contract, documents, ...rest } = succeeded(await accept(lead))
  assert.deepEqual(rest, { customerId: lead, status: 'OnboardingComplete', onboardingComplete: true })
  assert.match(termsAcceptedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(Date.parse(termsAcceptedAt) >= before && Date.parse(termsAcceptedAt) <= Date.now())
  const customer = succeeded(await partner.get(`/Customers/${lead}`))
  assert.equal(customer.status, 'OnboardingComplete')
  assert.ok(contract !== null && contract.status === 'in_force' && contract.cancellableUntil !== null)
  assert.deepEqual({ ...customer.contract, confirmationSentAt: null }, { ...contract, confirmationSentAt: null })
  for (const path of [documents.htmlUrlPath, documents.pdfUrlPath]) {
    assert.doesNotMatch(path, /token/)
    const { contractUrl } = succeeded(await partner.get<string>(path.replace('/partner-api', ''))) as {
      contractUrl: string
    }
    assert.equal((await fetch(contractUrl)).status, 200)
  }
})

test('accepting the terms again, later or simultaneously, keeps the first timestamp and contract', async () => {
  const { lead } = await readyHousehold()
  const first = await Promise.all([accept(lead), accept(lead), accept(lead)])
  await advanceClock(partner, { seconds: 3_600 })
  const accepted = [...first, await accept(lead)].map((response) => {
    const { contract, ...rest } = succeeded(response)
    return JSON.stringify({ ...rest, contract: { ...contract, confirmationSentAt: null } })
  })
  assert.equal(new Set(accepted).size, 1)
  assert.equal((await rawRows(service, 'select from contract_documents where customer_id = $1', [lead])).length, 1)
  const events = await rawRows(
    service,
    `select from events where data->>'status' = 'OnboardingComplete' and data->>'customerId' = $1`,
    [lead],
  )
  assert.equal(events.length, 1)
})

test('accept-terms returns payment_setup_incomplete while no card is attached', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  const incomplete = async () => rejected(await accept(lead), 422, 'payment_setup_incomplete')
  await incomplete()
  succeeded(await finalise(partner, lead))
  assert.match((await incomplete()).detail, /create-setup-intent/)
  succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
  await incomplete()
  await attachCard(partner, lead, 'pm_card_chargeDeclined')
  await incomplete()
  await attachCard(partner, lead, 'pm_card_authenticationRequired')
  await incomplete()
  await attachCard(partner, lead, 'pm_card_visa')
  succeeded(await accept(lead))
})

test("accept-terms returns payment_setup_incomplete while only another tenant's card is attached", async () => {
  const { tenants } = await startHousehold(partner)
  const [lead = '', second = ''] = tenants
  await onboard(partner, lead)
  rejected(await accept(second), 422, 'payment_setup_incomplete')
})

test("the acceptance stores the terms version, document hashes and price, and the tenant's address and browser encrypted", async () => {
  const { lead } = await readyHousehold()
  const shownText = 'Agree and pay'
  const evidence = { tenantIp: '2001:db8::17', tenantUserAgent: 'Mozilla/5.0 (Testing) Browser/1.0', shownText }
  succeeded(await accept(lead, evidence))
  const { totalCost, monthlyCost } = succeeded(await partner.get(`/Customers/${lead}/total-cost`))
  const [row] = await rawRows(
    service,
    'select * from contracts join contract_documents using (contract_number) where contracts.customer_id = $1',
    [lead],
  )
  const operator = JSON.parse(
    readFileSync(new URL('../../reference-data/operator.sample.json', import.meta.url), 'utf8'),
  )
  assert.deepEqual(row?.acceptance, {
    termsVersion: operator.terms.version,
    htmlSha256: row?.html_sha256,
    pdfSha256: row?.pdf_sha256,
    totalCost,
    monthlyCost,
    shown: null,
  })
  const text = JSON.stringify(row)
  assert.equal(text.includes('2001:db8') || text.includes('Mozilla') || text.includes(shownText), false)
  const cipher = createFieldCipher([{ id: 'test', key }], key)
  const open = (column: string, value: string | Buffer) =>
    cipher.decrypt(value, { column, row: String(row?.contract_number) })
  const openedEvidence = open('customers.acceptance_evidence', String(row?.evidence_encrypted))
  assert.deepEqual(JSON.parse(openedEvidence.toString()), evidence)
  for (const format of ['html', 'pdf'] as const) {
    const sealed: unknown = row?.[`${format}_encrypted`]
    assert.ok(Buffer.isBuffer(sealed))
    assert.equal(/<html|%PDF/.test(sealed.toString('latin1')), false)
    const compressed = open(`contract_documents.${format}`, sealed)
    const bytes = zstdDecompressSync(compressed)
    assert.ok(compressed.length < bytes.length)
    assert.equal(createHash('sha256').update(bytes).digest('hex'), row?.[`${format}_sha256`])
    assert.throws(() => cipher.decrypt(sealed, { column: `contract_documents.${format}`, row: 'tenant_other' }))
  }
})

const [lead = '', other = ''] = (await startHousehold(partner)).tenants
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
