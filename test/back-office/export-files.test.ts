import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addDays, isoDate } from '../../src/platform/kernel/dates.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, psrDetails, startHousehold } from '../support/household.ts'
import { connectOperator, type Operator } from '../support/operator.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService()
let operator: Operator
let partner: Partner
let quoteId: string
let tenants: string[]
before(async () => {
  partner = await connectPartner(service.baseUrl, service.credentials)
  operator = await connectOperator(service)
  const household = await startHousehold(partner, { tenants: 3 })
  quoteId = household.quoteId
  tenants = [...household.tenants]
  for (const tenant of tenants) await onboard(partner, tenant)
  const inForce = ({ customerId, status }: Line) => customerId === tenants[2] && status === 'in_force'
  await fetchOnceItHas('/Contracts/export?format=json', inForce)
})

type Line = Record<string, string | number | boolean | null>

/**
 * Fetches a file as JSON once it has the line. Entries get their places when every transaction before them has ended.
 */
async function fetchOnceItHas(path: string, has: (line: Line) => boolean) {
  return waitFor(
    `${path} has the line`,
    () => fetchLines(path),
    ({ lines }) => lines.some(has),
  )
}

/** Fetches a file as JSON. */
async function fetchLines(path: string): Promise<{ lines: Line[]; cursor: string }> {
  const response = await operator.get<Line[]>(path)
  return { lines: succeeded(response), cursor: response.headers.get('housebill-next-cursor') ?? '' }
}

test('an export has the same lines in every format, with the type of that format', async () => {
  const { lines } = await fetchLines('/Contracts/export?format=json')
  const ndjson = await operator.get('/Contracts/export?format=ndjson')
  assert.deepEqual(
    ndjson.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    lines,
  )
  const csv = await operator.get('/Contracts/export')
  const [head = '', ...rows] = csv.text.trimEnd().split('\r\n')
  assert.deepEqual(head.split(','), Object.keys(lines[0] ?? {}))
  assert.equal(rows.length, lines.length)
  assert.deepEqual(
    [ndjson, csv].map(({ headers }) => headers.get('content-type')),
    ['application/x-ndjson', 'text/csv; charset=utf-8'],
  )
  const own = lines.filter((line) => line.quoteId === quoteId)
  assert.deepEqual(
    own.map(({ customerId, status }) => `${customerId} ${status}`).sort(),
    tenants.map((tenant) => `${tenant} in_force`).sort(),
  )
  for (const { customerId, totalCost } of own)
    assert.equal(succeeded(await partner.get(`/Customers/${String(customerId)}/total-cost`)).totalCost, totalCost)
})

test('an export in parts has every contract once, and continues with what changed since', async () => {
  const seen: Line[] = []
  let since = ''
  for (let part = 0; ; part++) {
    const { lines, cursor } = await fetchLines(`/Contracts/export?format=json&limit=2${since && `&since=${since}`}`)
    seen.push(...lines)
    if (cursor === since) break
    since = cursor
    assert.ok(part < 1_000, 'the parts do not end')
  }
  const whole = await fetchLines('/Contracts/export?format=json')
  assert.deepEqual(seen, whole.lines)
  assert.equal(whole.cursor, since)
  succeeded(await partner.patch(`/Customers/${tenants[1]}`, { phone: '+447700900777' }))
  const changed = await fetchOnceItHas(`/Contracts/export?format=json&since=${since}`, () => true)
  assert.deepEqual(
    changed.lines.map(({ customerId, phone }) => [customerId, phone]),
    [[tenants[1], '+447700900777']],
  )
})

test('the supply, register and payment files have what their operations return', async () => {
  const supply = await fetchLines('/Contracts/export?kind=supply&format=json')
  const meters = supply.lines.filter((line) => line.quoteId === quoteId).map(({ service: kind }) => kind)
  assert.deepEqual(meters, ['electricity', 'gas'])

  const [first = ''] = tenants
  succeeded(await partner.patch(`/Customers/${first}`, { psrDetails: psrDetails({ categories: [{ code: '09' }] }) }))
  const register = await fetchOnceItHas(
    '/PriorityServices/export?format=json',
    ({ customerId }) => customerId === first,
  )
  const line = register.lines.find(({ customerId }) => customerId === first)
  assert.deepEqual([line?.needs, line?.change], ['09', 'registered'])

  const { lines } = await fetchLines('/Payments/export?format=json')
  const due = lines.filter(({ customerId }) => customerId === first)
  const [, second] = due
  const early = await fetchLines(`/Payments/export?format=json&dueBefore=${second?.dueDate}`)
  assert.equal(early.lines.filter(({ customerId }) => customerId === first).length, 1)
})

test('the supply file shows the home as it goes on, whoever leaves and whenever its first day moved', async () => {
  const [cancelled, moved] = [await startHousehold(partner), await startHousehold(partner, { tenants: 1 })]
  for (const tenant of [...cancelled.tenants, moved.lead]) await onboard(partner, tenant)
  const { contractStartDate } = succeeded(await partner.get(`/Quotes/${moved.quoteId}`))
  const later = addDays(isoDate(contractStartDate), 14)
  succeeded(await partner.post(`/Quotes/${moved.quoteId}/move-start`, { contractStartDate: later }))
  succeeded(await partner.post(`/Customers/${moved.lead}/accept-terms`))
  // Makes a version of both of the tenant's contracts at once.
  const nextOccupier = { who: 'landlord' } as const
  succeeded(await partner.patch(`/Quotes/${moved.quoteId}/occupiers`, { nextOccupier }))
  succeeded(await partner.post(`/Customers/${cancelled.lead}/cancel-contract`, {}))
  const isCancelled = ({ customerId, status }: Line) => customerId === cancelled.lead && status === 'cancelled'
  await fetchOnceItHas('/Contracts/export?format=json', isCancelled)
  // Two homes, of which one has the other's electricity meter.
  const meters = await rawRows(
    service,
    `update quotes set address_uid = 'another home', address = jsonb_set(address, '{mprn}', 'null') where quote_id = $1
     returning mpan`,
    [moved.quoteId],
  )
  assert.match(String(meters[0]?.mpan), /^\d{13}$/)
  const { lines } = await fetchLines('/Contracts/export?kind=supply&format=json')
  const sharing = lines.filter((line) => line.quoteId === cancelled.quoteId)
  const others = sharing.map(({ service: kind, meterPointAlsoOf }) => [
    kind,
    String(meterPointAlsoOf).includes(moved.quoteId),
  ])
  assert.deepEqual(others, [
    ['electricity', true],
    ['gas', false],
  ])
  for (const [household, day] of [
    [cancelled, contractStartDate],
    [moved, later],
  ] as const) {
    const own = lines.filter((line) => line.quoteId === household.quoteId)
    const shown = own.map(({ status, startsOn, actsNext, householdClosed }) => [
      status,
      startsOn,
      actsNext,
      householdClosed,
    ])
    assert.deepEqual(shown, Array(2).fill(['pending', day, 'operator', false]))
  }
})

test('the broadband file has a line for each product to order, with the line, the day and whom to contact', async () => {
  const household = await startHousehold(partner, {
    tenants: 1,
    packages: ['electricity', 'broadband'],
    products: ['fibre-150', 'wifi-whole-home'],
  })
  await onboard(partner, household.lead)
  const ofHousehold = (line: Line) => line.quoteId === household.quoteId
  const { lines } = await fetchOnceItHas('/Contracts/export?kind=broadband&format=json', ofHousehold)
  const own = lines.filter(ofHousehold)
  const { services } = succeeded(await partner.get(`/Customers/${household.lead}`))
  assert.deepEqual(
    own.map(({ serviceId, product, kind, line, status, installDate, email }) => ({
      ...{ serviceId, product, kind, line, status, installDate, email },
    })),
    services.slice(1).map(({ serviceId, status, startDate }, index) => ({
      ...{ serviceId, product: serviceId, kind: ['line', 'addon'][index], line: 'fibre-150', status },
      ...{ installDate: startDate, email: `${household.lead}@example.com` },
    })),
  )
  const [first] = own
  assert.deepEqual([own.length, first?.service, typeof first?.postCode], [2, 'broadband', 'string'])
  assert.ok(String(first?.phone).startsWith('+44'))
  const { lines: meters } = await fetchLines('/Contracts/export?kind=supply&format=json')
  assert.deepEqual(
    meters.filter(ofHousehold).map(({ service: kind }) => kind),
    ['electricity'],
  )
})

test('an export names a wrong cursor, resets a foreign one and rejects a type that it does not have', async () => {
  const wrong = rejected(await operator.get('/Contracts/export?since=abc'), 422, 'validation_failed')
  assert.deepEqual(invalidFields(wrong), [['/query/since', 'wrong_format']])
  const foreign = Buffer.from('000000000000.42').toString('base64url')
  rejected(await operator.get(`/Contracts/export?since=${foreign}`), 422, 'feed_reset')
  rejected(await operator.get(`/PriorityServices/export?since=${foreign}`), 422, 'feed_reset')
  const { cursor } = await fetchLines('/Contracts/export?format=json')
  rejected(await operator.get(`/PriorityServices/export?since=${cursor}`), 422, 'feed_reset')
  rejected(await operator.get('/Contracts/export', { headers: { Accept: 'image/png' } }), 406, 'not_acceptable')
})
