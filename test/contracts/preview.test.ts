import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { attachCard, finalise, startHousehold } from '../support/household.ts'
import { waitForLockWaiters, whileHeld } from '../support/lock-waiters.ts'
import { connectNewPartner, withDatabase } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** A household whose lead tenant has given their details and attached a card. */
async function readyToAccept(from = partner, tenants = 2) {
  const household = await startHousehold(from, { tenants })
  succeeded(await finalise(from, household.lead))
  await attachCard(from, household.lead)
  return household
}

const preview = async (customerId: string, from = partner) =>
  succeeded(await from.get(`/Customers/${customerId}/pci-preview-url-html`))
const accept = (customerId: string, body?: object, from = partner) =>
  from.post(`/Customers/${customerId}/accept-terms`, body)

test('the preview can be read before acceptance, as HTML and as PDF, with the same hash', async () => {
  const { lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  const html = await preview(lead)
  const pdf = succeeded(await partner.get(`/Customers/${lead}/pci-preview-url-pdf`))
  assert.match(html.documentHash, /^[0-9a-f]{64}$/)
  assert.equal(pdf.documentHash, html.documentHash)
  const page = await fetch(html.previewUrl)
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page.headers.get('cache-control') ?? '', /no-store/)
  assert.match(await page.text(), /Alex Morgan/)
  const file = await fetch(pdf.previewUrl)
  assert.equal(file.headers.get('content-type'), 'application/pdf')
  assert.equal(Buffer.from(await file.arrayBuffer()).toString('latin1', 0, 5), '%PDF-')
})

test('what was previewed is what is agreed: accepting with its hash works, and repeating the call too, but not with another', async () => {
  const { lead } = await readyToAccept()
  const { documentHash } = await preview(lead)
  const first = succeeded(await accept(lead, { documentHash }))
  assert.deepEqual(succeeded(await accept(lead, { documentHash })), first)
  assert.deepEqual(succeeded(await accept(lead)), first)
  assertProblem(await accept(lead, { documentHash: 'a'.repeat(64) }), 'already_onboarded')
})

test('a change of the details makes the preview stale: its link answers 410, and its hash is rejected with what changed', async () => {
  const { lead } = await readyToAccept()
  const { documentHash, previewUrl } = await preview(lead)
  succeeded(await finalise(partner, lead, { firstName: 'Alexandra' }))
  const page = await fetch(previewUrl)
  assert.equal(page.status, 410)
  assert.doesNotMatch(await page.text(), /Alex/)
  const problem = rejected(await accept(lead, { documentHash }), 422, 'terms_changed')
  assert.match(problem.detail, /the tenant's name/)
  assert.doesNotMatch(JSON.stringify(problem), /Alex/)
  const again = await preview(lead)
  assert.notEqual(again.documentHash, documentHash)
  succeeded(await accept(lead, { documentHash: again.documentHash }))
})

test('a hash that was never issued to the customer is rejected', async () => {
  const { lead, tenants } = await readyToAccept()
  const [, second = ''] = tenants
  succeeded(await finalise(partner, second))
  const { documentHash } = await preview(second)
  const problem = rejected(await accept(lead, { documentHash }), 422, 'terms_changed')
  assert.match(problem.detail, /No preview of this customer/)
  rejected(await accept(lead, { documentHash: 'XYZ' }), 422, 'validation_failed')
})

test('without a hash, a changed name is accepted, because the figures that were shown still hold', async () => {
  const { lead } = await readyToAccept()
  await preview(lead)
  succeeded(await finalise(partner, lead, { firstName: 'Alexandra' }))
  succeeded(await accept(lead))
})

test('the plan that was shown stands while its first payment is at least 5 days ahead; later, accepting returns terms_changed', async () => {
  const own = await connectNewPartner(service)
  // 20 December. The first payment is due on 1 January, a bank holiday and a Friday, so it is taken on the 4th.
  await advanceClock(own, { days: 19 })
  const { lead, tenants } = await startHousehold(own, { contractStartDate: '2027-01-01' })
  const [, second = ''] = tenants
  const firstPayment = async (tenant: string) =>
    succeeded(await own.get(`/Customers/${tenant}/payment-schedules`)).paymentSchedule.payments[0]?.date
  for (const tenant of tenants) {
    succeeded(await finalise(own, tenant, { supplyDuringCancellation: true }))
    await attachCard(own, tenant)
    assert.equal(await firstPayment(tenant), '2027-01-04')
  }
  // 30 December: a plan made today would begin in February, because of the ten days' notice.
  await advanceClock(own, { days: 10 })
  succeeded(await accept(lead, undefined, own))
  assert.equal(await firstPayment(lead), '2027-01-04')
  await advanceClock(own, { days: 1 })
  const problem = rejected(await accept(second, undefined, own), 422, 'terms_changed')
  assert.match(problem.detail, /has changed: the payment plan\./)
  assert.equal(await firstPayment(second), '2027-02-01')
  succeeded(await accept(second, undefined, own))
})

test('a payment schedule that HEAD asked for was not shown', async () => {
  const { lead } = await readyToAccept()
  await partner.send('HEAD', `/Customers/${lead}/payment-schedules`)
  await partner.send('HEAD', `/Customers/${lead}/pci-preview-url-html`)
  assert.deepEqual(await rawRows(service, 'select source from previewed_terms where customer_id = $1', [lead]), [])
  succeeded(await accept(lead))
  const [row] = await rawRows(service, `select acceptance -> 'shown' as shown from contracts where customer_id = $1`, [
    lead,
  ])
  assert.deepEqual(row, { shown: null })
})

test('what was shown is written down only when it differs, and a preview records when it was first opened', async () => {
  const { lead } = await readyToAccept()
  const rows = () =>
    rawRows(service, 'select source, opened_at from previewed_terms where customer_id = $1 order by last_shown_at', [
      lead,
    ])
  for (const _ of [1, 2]) succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  assert.deepEqual(await rows(), [{ source: 'payment-schedule', opened_at: null }])
  const { previewUrl } = await preview(lead)
  await preview(lead)
  assert.deepEqual(await rows(), [
    { source: 'payment-schedule', opened_at: null },
    { source: 'preview-html', opened_at: null },
  ])
  await fetch(previewUrl, { method: 'HEAD' })
  assert.equal((await rows())[1]?.opened_at, null)
  await fetch(previewUrl)
  assert.notEqual((await rows())[1]?.opened_at, null)
})

test('a preview link opens neither another format nor another customer nor a contract, and an altered one nothing', async () => {
  const { lead, tenants } = await readyToAccept()
  const [, second = ''] = tenants
  const { previewUrl } = await preview(lead)
  const wrong = [
    previewUrl.replace('.html', '.pdf'),
    previewUrl.replace(lead, second),
    previewUrl.replace('/previews/', '/contracts/'),
    previewUrl.slice(0, -3),
    previewUrl.replace(/\?.*/, ''),
  ]
  for (const url of wrong) assert.equal((await fetch(url)).status, 403, url)
})

test('after acceptance a preview returns already_onboarded, and its link a page that says so without anything of the contract', async () => {
  const { lead } = await readyToAccept()
  const { previewUrl } = await preview(lead)
  succeeded(await accept(lead))
  assertProblem(await partner.get(`/Customers/${lead}/pci-preview-url-html`), 'already_onboarded')
  const page = await fetch(previewUrl)
  assert.equal(page.status, 410)
  const text = await page.text()
  assert.match(text, /You have accepted your contract.*link to the contract/s)
  assert.doesNotMatch(text, /Morgan|token=/)
})

test('a preview link expires after 30 days', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await readyToAccept(own)
  const { previewUrl, expiresAt } = await preview(lead, own)
  assert.match(expiresAt, /^2026-12-31T09:/)
  await advanceClock(own, { days: 31 })
  assert.equal((await fetch(previewUrl)).status, 403)
})

test('reading the payment schedule between a preview and the acceptance changes nothing, in either order', async () => {
  const { lead } = await readyToAccept(partner, 1)
  const first = await preview(lead)
  succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  assert.equal((await preview(lead)).documentHash, first.documentHash)
  assert.equal((await fetch(first.previewUrl)).status, 200)
  succeeded(await accept(lead, { documentHash: first.documentHash }))
})

test('the contract is about the same terms as the preview', async () => {
  const { lead } = await readyToAccept(partner, 1)
  const { documentHash, previewUrl } = await preview(lead)
  const draft = await (await fetch(previewUrl)).text()
  succeeded(await accept(lead, { documentHash }))
  const [row] = await rawRows(service, 'select document_hash from contracts where customer_id = $1', [lead])
  assert.deepEqual(row, { document_hash: documentHash })
  const { contractUrl } = succeeded(await partner.get(`/Customers/${lead}/pci-contract-url-html`))
  const contract = await (await fetch(contractUrl)).text()
  const amounts = (text: string) => [...text.matchAll(/£[\d,.]+/g)].map(([amount]) => amount)
  assert.deepEqual(amounts(contract), amounts(draft))
})

test('where the operator requires it, a tenant who was shown nothing cannot accept', async () => {
  const strict = await shareTestService({ REQUIRE_PREVIEW: 'on' })
  const own = await connectPartner(strict.baseUrl, strict.credentials)
  const { lead } = await readyToAccept(own)
  const problem = rejected(await accept(lead, undefined, own), 422, 'terms_not_shown')
  assert.match(problem.detail, /pci-preview-url-html/)
  const { documentHash } = await preview(lead, own)
  succeeded(await accept(lead, { documentHash }, own))
})

for (const [what, statement, status] of [
  ['removed', 'delete from customers where customer_id = $1', 404],
  ['erased', 'update customers set erased_at = now() where customer_id = $1', 200],
] as const)
  test(`a preview that is requested while the tenant is ${what} succeeds, and neither it nor a schedule afterwards leaves anything`, async () => {
    const { lead } = await startHousehold(partner, { tenants: 1 })
    succeeded(await finalise(partner, lead))
    const preview = () => partner.get(`/Customers/${lead}/pci-preview-url-html`)
    succeeded(await withDatabase(service, ({ pool }) => whileHeld(pool, [statement, lead], preview)))
    assert.equal((await partner.get(`/Customers/${lead}/payment-schedules`)).status, status)
    assert.deepEqual(await rawRows(service, 'select from previewed_terms where customer_id = $1', [lead]), [])
  })

test('a tenant is removed with a preview that was being shown meanwhile', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead))
  await preview(lead)
  await withDatabase(service, async (db) => {
    const shower = await db.pool.connect()
    try {
      await shower.query('begin')
      await shower.query(
        `insert into previewed_terms (preview_id, partner_id, customer_id, source, terms_hash, document_hash,
         content_encrypted, first_shown_at)
         select preview_id || 'again', partner_id, customer_id, source, terms_hash, document_hash, content_encrypted,
           now()
           from previewed_terms where customer_id = $1`,
        [lead],
      )
      const answer = partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] })
      await waitForLockWaiters(shower, 1)
      await shower.query('commit')
      succeeded(await answer)
    } finally {
      shower.release()
    }
  })
  assert.deepEqual(await rawRows(service, 'select from previewed_terms where customer_id = $1', [lead]), [])
})
