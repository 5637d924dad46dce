import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { type ContractRecord, connectOperator, eraseByForce, type Feed, followFeed } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const operator = await connectOperator(service, ['contracts:read'])

/**
 * Reads the feed until it has an entry that fits: versions of transactions beside older open ones come a moment later.
 */
async function entriesOf(customerId: string, change: string) {
  const { entries } = await waitFor(
    `${change} is in the feed`,
    () => followFeed(operator),
    (read) => read.entries.some((entry) => entry.record.customerId === customerId && entry.change === change),
  )
  return entries.filter(({ record }) => record.customerId === customerId)
}

test('a contract appears when it is agreed and when it is in force, with everything that the back office needs', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const entries = await entriesOf(lead, 'in_force')
  const record = entries.at(-1)?.record
  const customer = succeeded(await partner.get(`/Customers/${lead}`))
  const quote = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  assert.equal(record?.status, 'in_force')
  assert.equal(record.person?.email, customer.personalDetails.email)
  assert.equal(record.person.paymentMethod?.last4, '4242')
  assert.deepEqual(record.household, {
    contracts: [{ contractNumber: record.contractNumber, customerId: lead, status: 'in_force' }],
    primaryContact: { customerId: lead, name: 'Alex Morgan', email: `${lead}@example.com`, phone: '+447700900123' },
    ...{ closed: false, changeOfOccupier: true, moveInDate: quote.contractStartDate, moveIn: null, nextOccupier: null },
  })
  assert.equal(record.cost?.totalCost, quote.totalCost)
  assert.equal(
    record.person.plan.reduce((sum, { amount }) => sum + amount, 0),
    quote.totalCost,
  )
  assert.deepEqual(
    record.services.map(({ type, supplier, rate }) => [type, supplier, rate !== null]),
    [
      ['electricity', 'Sample Power Limited', true],
      ['gas', 'Sample Gas Limited', true],
    ],
  )
})

test('before a contract is in force, its record says neither who nor where', async () => {
  const { lead } = await startHousehold(partner)
  await onboard(partner, lead)
  const record = (await entriesOf(lead, 'agreed')).at(-1)?.record
  assert.deepEqual([record?.status, record?.person], ['agreed', null])
  const { addressLine1, postCode } = succeeded(await partner.get(`/Quotes/${record?.quoteId ?? ''}`)).address
  const text = JSON.stringify(record)
  for (const personal of [`${lead}@`, addressLine1, postCode, 'Morgan']) assert.equal(text.includes(personal), false)
})

test('a forced erasure leaves figures and statuses in the record, and nothing about the person', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  await entriesOf(lead, 'in_force')
  await eraseByForce(service, lead)
  const record = (await entriesOf(lead, 'erased')).at(-1)?.record
  assert.equal(record?.person, null)
  assert.ok((record?.cost?.totalCost ?? 0) > 0)
})

test('the feed has every partner, its pages follow each other without gaps, and a read is one audit entry for each partner', async () => {
  const other = await connectNewPartner(service)
  const households = [await startHousehold(partner, { tenants: 1 }), await startHousehold(other, { tenants: 1 })]
  const { nextCursor } = await followFeed(operator)
  await onboard(partner, households[0]?.lead ?? '')
  await onboard(other, households[1]?.lead ?? '')
  await entriesOf(households[1]?.lead ?? '', 'in_force')
  const whole = succeeded(await operator.get<Feed>(`/Contracts?after=${nextCursor}&limit=500`))
  const singly: string[] = []
  for (let cursor = nextCursor; ; ) {
    const page = succeeded(await operator.get<Feed>(`/Contracts?after=${cursor}&limit=1`))
    singly.push(...page.data.map(({ contractNumber, version }) => `${contractNumber} ${version}`))
    cursor = page.nextCursor
    if (!page.hasMore) break
  }
  assert.deepEqual(
    singly,
    whole.data.map(({ contractNumber, version }) => `${contractNumber} ${version}`),
  )
  const reads = await rawRows(
    service,
    `select distinct on (partner_id) partner_id, actor, credential, operation, action, subject_type, fields
       from audit_log where action = 'read' and operation = 'listContractFeed' order by partner_id, entry_number desc`,
  )
  assert.equal(reads.length >= 2, true)
  for (const { actor, credential, action, fields } of reads) {
    assert.deepEqual([actor, credential, action], ['operator', operator.clientId, 'read'])
    assert.match(String(fields), /^\d{4}-\d{4}-\d{4}/)
  }
})

test('a cursor of another list is rejected, and one from before a restore starts the feed again', async () => {
  for (const after of ['abc', Buffer.from('quote_1').toString('base64url')])
    assert.deepEqual(
      invalidFields(rejected(await operator.get(`/Contracts?after=${after}`), 422, 'validation_failed')),
      [['/query/after', 'wrong_format']],
    )
  const { nextCursor } = await followFeed(operator)
  const [epoch = '', position = ''] = Buffer.from(nextCursor, 'base64url').toString().split('.')
  const reset = (text: string) => operator.get(`/Contracts?after=${Buffer.from(text).toString('base64url')}`)
  rejected(await reset(`${epoch.replace(/./g, '0')}.${position}`), 422, 'feed_reset')
  rejected(await reset(`${epoch}.${BigInt(position) + 1_000_000n}`), 422, 'feed_reset')
  assert.equal((await reset(`${epoch}.${position}`)).status, 200)
})

test('GET Contracts/{number} shows the contract with its timeline; an unknown number is 404', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const number = (await entriesOf(lead, 'in_force'))[0]?.contractNumber ?? ''
  const { record, timeline } = succeeded(
    await operator.get<{ record: ContractRecord; timeline: { version: number; change: string }[] }>(
      `/Contracts/${number}`,
    ),
  )
  assert.equal(record.contractNumber, number)
  assert.equal(timeline.at(-1)?.version, record.version)
  assert.ok(timeline.some(({ change }) => change === 'in_force'))
  rejected(await operator.get('/Contracts/0000-0000-0000'), 404, 'not_found')
})

test('GET Contracts/{number}/documents returns what the customer received, with an audit entry, once the contract is in force', async () => {
  const { lead, tenants } = await startHousehold(partner)
  const [, other = ''] = tenants
  await onboard(partner, lead)
  const agreed = (await entriesOf(lead, 'agreed')).at(-1)?.record
  assert.equal(agreed?.documents?.path, null)
  const { contractNumber } = agreed
  rejected(await operator.get(`/Contracts/${contractNumber}/documents`), 404, 'not_found')
  rejected(await operator.get('/Contracts/0000-0000-0000/documents'), 404, 'not_found')
  await onboard(partner, other)
  const { documents: inForce } = (await entriesOf(lead, 'in_force')).at(-1)?.record ?? {}
  const path = `/Contracts/${contractNumber}/documents`
  assert.equal(inForce?.path, `/operator-api${path}`)
  const { documents } = succeeded(
    await operator.get<{ documents: { format: string; sha256: string; content: string }[] }>(path),
  )
  const hashes = documents.map(({ format, sha256, content }) => {
    const bytes = Buffer.from(content, 'base64')
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256)
    assert.match(bytes.subarray(0, 15).toString('latin1'), format === 'pdf' ? /^%PDF-/ : /^<!doctype html>/i)
    return sha256
  })
  assert.deepEqual(hashes, [inForce.htmlSha256, inForce.pdfSha256])
  const [read] = await rawRows(
    service,
    `select actor, credential, operation, action, subject_type from audit_log
      where operation = 'getOperatorContractDocuments' order by entry_number desc limit 1`,
  )
  assert.deepEqual(Object.values(read ?? {}), [
    'operator',
    operator.clientId,
    'getOperatorContractDocuments',
    'read',
    'contract',
  ])
})
