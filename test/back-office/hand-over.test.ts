import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, isoDate, londonDate } from '../../src/platform/kernel/dates.ts'
import { mpanWithCheckDigit } from '../../src/properties/meter-points/meter-points.ts'
import { serviceMayBecome, serviceStatuses } from '../../src/quoting/packages/service-status.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { type ContractRecord, connectOperator, eraseByForce, followFeed } from '../support/operator.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const operator = await connectOperator(service)

/** A household in force. */
async function inForce(tenants = 1) {
  const household = await startHousehold(partner, { tenants })
  for (const tenant of household.tenants) await onboard(partner, tenant)
  const records = await waitFor(
    'the household is in the feed',
    async () =>
      (await followFeed(operator)).entries.flatMap(({ record }) =>
        record.quoteId === household.quoteId ? [record] : [],
      ),
    (found) => found.filter(({ status }) => status === 'in_force').length >= tenants,
  )
  return { ...household, record: records.at(-1) as ContractRecord }
}

const acknowledge = (number: string, body: object) => operator.post(`/Contracts/${number}/acknowledge`, body)
const report = (quoteId: string, serviceId: string, body: object) =>
  operator.post(`/Quotes/${quoteId}/services/${serviceId}/status`, body)
const readRecord = async (number: string) =>
  succeeded(await operator.get<{ record: ContractRecord }>(`/Contracts/${number}`)).record

test('a version is acknowledged once: the same reference again is harmless, another one is rejected', async () => {
  const { record } = await inForce()
  const { contractNumber, version } = record
  const first = succeeded(await acknowledge(contractNumber, { version, reference: 'SUP-1' }))
  assert.deepEqual(
    { ...(first as object), acknowledgedAt: '' },
    {
      contractNumber,
      version,
      reference: 'SUP-1',
      acknowledgedAt: '',
      isLatest: true,
    },
  )
  assert.deepEqual(succeeded(await acknowledge(contractNumber, { version, reference: 'SUP-1' })), first)
  const problem = rejected(
    await acknowledge(contractNumber, { version, reference: 'SUP-2' }),
    422,
    'acknowledged_otherwise',
  )
  assert.match(problem.detail, /under the reference SUP-1/)
})

test('many acknowledgements at once store one reference, and every other caller hears of it', async () => {
  const { record } = await inForce()
  const { contractNumber, version } = record
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, index) => acknowledge(contractNumber, { version, reference: `SUP-${index % 2}` })),
  )
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 200, 422, 422, 422, 422])
})

test('a version that does not exist, an empty reference and an unknown contract are rejected', async () => {
  const { record } = await inForce()
  const { contractNumber, version } = record
  assertProblem(await acknowledge(contractNumber, { version: version + 1, reference: 'x' }), 'validation_failed', [
    '/version out_of_range',
  ])
  assertProblem(await acknowledge(contractNumber, { version: 0, reference: '' }), 'validation_failed', [
    '/reference too_short',
    '/version out_of_range',
  ])
  rejected(await acknowledge('0000-0000-0000', { version: 1, reference: 'x' }), 404, 'not_found')
})

test('a reported status holds for every contract of the household, with an event each and a new version', async () => {
  const { quoteId, tenants, record } = await inForce(2)
  const body = { status: 'requested', effectiveDate: '2027-01-04', supplierReference: 'S-9' }
  assert.deepEqual(succeeded(await report(quoteId, 'gas-standard', body)), {
    quoteId,
    serviceId: 'gas-standard',
    ...body,
    ...{ reason: null, comment: null, expectedOn: null, newOccupierFrom: null, meterSerial: null, answeredOn: null },
  })
  for (const tenant of tenants) {
    const { services } = succeeded(await partner.get(`/Customers/${tenant}`))
    assert.deepEqual(
      services.map(({ serviceId, status }) => [serviceId, status]),
      [
        ['electricity-standard', 'pending'],
        ['gas-standard', 'requested'],
      ],
    )
  }
  const events = await rawRows(
    service,
    `select from events where quote_id = $1 and type = 'customer.service.changed'`,
    [quoteId],
  )
  assert.equal(events.length, 2)
  const now = await readRecord(record.contractNumber)
  assert.ok(now.version > record.version)
  const gas = now.services.find(({ serviceId }) => serviceId === 'gas-standard')
  assert.deepEqual([gas?.status, gas?.statusSince, gas?.supplierReference], ['requested', '2027-01-04', 'S-9'])
})

test('the same report again changes nothing; another date is a correction without an event', async () => {
  const { quoteId, record } = await inForce()
  const send = (effectiveDate: string) => report(quoteId, 'gas-standard', { status: 'requested', effectiveDate })
  const count = async (text: string) => (await rawRows(service, text, [quoteId])).length
  const reports = () => count('select from service_reports where quote_id = $1')
  for (const date of ['2027-01-04', '2027-01-04']) succeeded(await send(date))
  assert.equal(await reports(), 1)
  succeeded(await send('2027-01-11'))
  assert.equal(await reports(), 2)
  assert.equal(await count(`select from events where quote_id = $1 and type = 'customer.service.changed'`), 1)
  const gas = (await readRecord(record.contractNumber)).services[1]
  assert.equal(gas?.statusSince, '2027-01-11')
})

test('a report without a reference keeps the one reported before', async () => {
  const { quoteId, record } = await inForce()
  const send = (body: object) => report(quoteId, 'gas-standard', { effectiveDate: '2027-01-04', ...body })
  succeeded(await send({ status: 'requested', supplierReference: 'S-9', comment: 'asked' }))
  const active = succeeded(await send({ status: 'active' })) as { supplierReference: string; comment: string | null }
  assert.deepEqual([active.supplierReference, active.comment], ['S-9', null])
  assert.equal((await readRecord(record.contractNumber)).services[1]?.supplierReference, 'S-9')
  succeeded(await send({ status: 'active' }))
  const stored = await rawRows(service, 'select from service_reports where quote_id = $1', [quoteId])
  assert.equal(stored.length, 2, 'the same report again changes nothing')
  const other = succeeded(await send({ status: 'active', supplierReference: 'S-10' })) as { supplierReference: string }
  assert.equal(other.supplierReference, 'S-10')
})

test('a day before the household agreed is rejected with the earliest day, unless an earlier contract of the home covered it', async () => {
  const { quoteId, record, addressUid } = await inForce()
  const { agreedAt } = await readRecord(record.contractNumber)
  const agreedOn = londonDate(new Date(agreedAt))
  const send = (effectiveDate: string) => report(quoteId, 'gas-standard', { status: 'requested', effectiveDate })
  const before = addDays(agreedOn, -1)
  const problem = assertProblem(await send(before), 'validation_failed', ['/effectiveDate out_of_range'])
  assert.ok(problem.errors?.[0]?.detail.startsWith(`Must be ${agreedOn}, when the household agreed, or later.`))
  succeeded(await send(agreedOn))

  const earlier = await startHousehold(partner, { tenants: 1, addressUid })
  await onboard(partner, earlier.lead)
  const cover = (startsOn: string, endedOn: string) =>
    rawRows(service, 'update contracts set starts_on = $2, ended_on = $3 where quote_id = $1', [
      earlier.quoteId,
      startsOn,
      endedOn,
    ])
  await cover(addDays(agreedOn, -30), addDays(agreedOn, -2))
  assertProblem(await send(before), 'validation_failed', ['/effectiveDate out_of_range'])
  succeeded(await send(addDays(agreedOn, -2)))
  assertProblem(await send(addDays(agreedOn, -31)), 'validation_failed', ['/effectiveDate out_of_range'])
})

test('a status follows another exactly as the table says', async () => {
  const path = { pending: [], requested: ['requested'], active: ['requested', 'active'], failed: ['failed'] } as const
  const before = { ...path, ended: ['requested', 'active', 'ended'], withdrawn: ['withdrawn'] } as const
  const { quoteId } = await inForce()
  for (const from of serviceStatuses) {
    for (const to of serviceStatuses) {
      if (from === to) continue
      await rawRows(service, `delete from service_reports where quote_id = $1`, [quoteId])
      await rawRows(service, `update quotes set service_statuses = '{}' where quote_id = $1`, [quoteId])
      const send = (status: string) => report(quoteId, 'gas-standard', { status, effectiveDate: '2027-01-04' })
      for (const status of before[from]) succeeded(await send(status))
      const response = await send(to)
      if (serviceMayBecome[from].includes(to)) succeeded(response)
      else rejected(response, 422, 'service_status_not_allowed')
    }
  }
})

test('what a report says of another occupier and the meter stays, until a report replaces it, also after a final status', async () => {
  const { quoteId, record } = await inForce()
  const gas = async () => (await readRecord(record.contractNumber)).services[1]
  const send = (status: string, body: object = {}) =>
    report(quoteId, 'gas-standard', { status, effectiveDate: '2027-01-04', ...body })
  succeeded(await send('requested', { newOccupierFrom: '2027-01-20', meterSerial: 'g4-a 123' }))
  succeeded(await send('withdrawn'))
  const told = await gas()
  assert.deepEqual([told?.newOccupierFrom, told?.supplierMeterSerial], ['2027-01-20', 'G4A123'])
  const problem = rejected(await send('active'), 422, 'service_status_not_allowed')
  assert.match(problem.detail, /replacesLatest/)
  succeeded(await send('active', { replacesLatest: true }))
  const now = await gas()
  assert.deepEqual([now?.status, now?.newOccupierFrom, now?.supplierMeterSerial], ['active', null, null])
})

test('a reason says who acts next and since when, and is rejected in a status that cannot have it', async () => {
  const { quoteId, record } = await inForce()
  const send = (status: string, body: object = {}) =>
    report(quoteId, 'gas-standard', { status, effectiveDate: '2027-01-04', ...body })
  const waiting = async () => {
    const gas = (await readRecord(record.contractNumber)).services[1]
    return [gas?.actsNext, gas?.waitingSince]
  }
  assert.deepEqual(await waiting(), ['operator', londonDate(new Date(record.effectiveAt ?? ''))])
  succeeded(await send('requested'))
  assert.deepEqual(await waiting(), ['supplier', '2027-01-04'])
  succeeded(await send('requested', { reason: 'objected', effectiveDate: '2027-01-07', expectedOn: '2027-01-20' }))
  assert.deepEqual(await waiting(), ['operator', '2027-01-07'])
  succeeded(await send('active'))
  assert.deepEqual(await waiting(), [null, null])
  assertProblem(
    await send('active', { reason: 'rejected', expectedOn: '2027-01-20', answeredOn: '2027-01-20' }),
    'validation_failed',
    ['/answeredOn not_allowed', '/expectedOn not_allowed', '/reason not_allowed'],
  )
})

test('who moves in and out, and where letters go, reach the operator in feed and files, and nobody else', async () => {
  const { quoteId, tenants, record } = await inForce(2)
  const [lead = '', second = ''] = tenants
  const { startDate = '' } = record.services[0] ?? {}
  const occupiers = (body: object) => partner.patch(`/Quotes/${quoteId}/occupiers`, body)
  assert.deepEqual([record.household.changeOfOccupier, record.household.moveInDate], [true, startDate])
  const date = addDays(isoDate(startDate), 1)
  assertProblem(await occupiers({ moveIn: { date } }), 'validation_failed', ['/moveIn/date out_of_range'])
  const moveIn = { date: addDays(isoDate(startDate), -3), gasSupplier: 'Example Energy' }
  const nextOccupier = { who: 'new_tenants', name: 'Kim Park', contact: 'kim@example.com' } as const
  succeeded(await occupiers({ moveIn }))
  for (let time = 0; time < 2; time += 1)
    assert.deepEqual(succeeded(await occupiers({ nextOccupier })), { quoteId, moveIn, nextOccupier })
  succeeded(await partner.patch(`/Customers/${second}`, { forwardingAddress: ' 7 Secret Lane, York ' }))

  const records = await Promise.all(record.household.contracts.map((each) => readRecord(each.contractNumber)))
  assert.deepEqual(records.map(({ person }) => person?.forwardingAddress ?? null).sort(), ['7 Secret Lane, York', null])
  const { household } = records[0] ?? assert.fail()
  assert.deepEqual(
    [household.moveInDate, household.moveIn, household.nextOccupier],
    [moveIn.date, moveIn, nextOccupier],
  )
  const { timeline } = succeeded(
    await operator.get<{ timeline: { change: string }[] }>(`/Contracts/${record.contractNumber}`),
  )
  assert.equal(timeline.filter(({ change }) => change === 'occupiers_changed').length, 2, 'the same again is nothing')
  for (const path of [
    `/Customers/${second}`,
    `/Customers/${lead}`,
    `/Quotes/${quoteId}`,
    `/Customers/${lead}/export`,
  ] as const)
    assert.doesNotMatch(
      JSON.stringify(succeeded(await partner.get(path as `/Quotes/${string}`))),
      /Secret|Kim Park/,
      path,
    )

  const [supply] = await waitFor(
    'the file has the next occupier',
    () => linesOf('supply', quoteId),
    (found) => found[0]?.nextOccupier === 'new_tenants',
  )
  const told = [
    'changeOfOccupier',
    'moveInDate',
    'nextOccupierName',
    'nextOccupierContact',
    'actsNext',
    'forwardingAddress',
  ]
  assert.deepEqual(
    told.map((name) => supply?.[name]),
    [true, moveIn.date, 'Kim Park', 'kim@example.com', 'operator', null],
  )
  const addresses = (await linesOf('contracts', quoteId)).map(({ forwardingAddress }) => forwardingAddress)
  assert.deepEqual(addresses.sort(), ['7 Secret Lane, York', null])

  const unknown = { nextOccupier: { who: 'unknown' } }
  succeeded(await operator.patch(`/Quotes/${quoteId}/occupiers`, unknown))
  assert.equal((await readRecord(record.contractNumber)).household.nextOccupier?.name, null)
  for (const tenant of tenants) await eraseByForce(service, tenant)
  const [row] = await rawRows(service, 'select next_occupier_encrypted as next from quotes where quote_id = $1', [
    quoteId,
  ])
  assert.equal(row?.next, null, 'erased with the last of the household')
  rejected(await occupiers({ nextOccupier }), 422, 'customer_erased')
})

test('supply of a household that is not in force, an unknown service, a wrong date and an unknown quote are rejected', async () => {
  const open = await startHousehold(partner)
  const body = { status: 'requested', effectiveDate: '2027-01-04' }
  rejected(await report(open.quoteId, 'gas-standard', body), 422, 'onboarding_incomplete')
  const { quoteId } = await inForce()
  assertProblem(await report(quoteId, 'unknown_service', body), 'validation_failed', ['/serviceId not_allowed'])
  assertProblem(await report(quoteId, 'gas-standard', { ...body, effectiveDate: '2027-02-30' }), 'validation_failed', [
    '/effectiveDate wrong_format',
  ])
  rejected(await report('quote_00000000000000000000000000', 'gas-standard', body), 404, 'not_found')
})

const correct = (number: string, body: object | string | null) =>
  operator.post(`/Contracts/${number}/corrections`, body)

test('a correction makes a new version, holds for the household and leaves the documents as they were', async () => {
  const { quoteId, lead, record } = await inForce(2)
  const url = succeeded(await partner.get(`/Customers/${lead}/pci-contract-url-html`)).contractUrl
  const document = await (await fetch(url)).text()
  const { contractNumber } = record
  const mpan = mpanWithCheckDigit('180002167984')
  const body = { mpan, installDate: '2027-02-01', dateOfBirth: '1990-01-02', reason: 'typing error' }
  const corrected = succeeded(await correct(contractNumber, body)) as { version: number }
  const numbers = record.household.contracts.map((each) => each.contractNumber)
  const records = await Promise.all(numbers.map(readRecord))
  for (const each of records) {
    assert.deepEqual([each.quoteId, each.person?.home.mpan, each.person?.installDate], [quoteId, mpan, '2027-02-01'])
    assert.equal(each.person?.home.mprn, record.person?.home.mprn)
    assert.equal(each.person?.dateOfBirth === '1990-01-02', each.contractNumber === contractNumber)
  }
  assert.equal(records.find((each) => each.contractNumber === contractNumber)?.version, corrected.version)
  assert.equal(await (await fetch(url)).text(), document)
})

/** The lines of a file about this household. */
async function linesOf(kind: string, quoteId: string) {
  const file = succeeded(await operator.get<Record<string, unknown>[]>(`/Contracts/export?kind=${kind}&format=json`))
  return file.filter((line) => line.quoteId === quoteId)
}

test('a correction says that a prepayment meter was changed to credit, to the household and in every record', async () => {
  const meter = { payment: 'prepayment', smart: true, registers: 'two_rate', heating: 'mains_gas' } as const
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1, meter })
  await onboard(partner, lead)
  const [contract] = succeeded(await partner.get(`/Customers/${lead}/contracts`)).contracts
  const number = contract?.contractNumber ?? ''
  const before = await readRecord(number)
  assert.deepEqual(before.person?.meter, meter)
  assert.deepEqual(
    before.services.map(({ rate }) => rate?.twoRate?.nightShare),
    ['0.42', undefined],
  )
  succeeded(await correct(number, { meterPayment: 'credit', reason: 'switched remotely' }))
  const after = await readRecord(number)
  assert.deepEqual([after.person?.meter?.payment, after.version], ['credit', before.version + 1])
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).meter?.payment, 'credit')
  const names = ['meterPayment', 'registers', 'smartMeter', 'heating', 'dayRate', 'nightRate']
  const lines = await linesOf('supply', quoteId)
  assert.deepEqual(
    lines.map((line) => names.map((name) => line[name])),
    [
      ['31.64', '14.92'],
      [null, null],
    ].map((rates) => ['credit', 'two_rate', 'true', 'mains_gas', ...rates]),
  )
})

test('a birth date alone is a version of this contract only', async () => {
  const { record } = await inForce(2)
  const [first, second] = record.household.contracts.map((each) => each.contractNumber)
  const before = await Promise.all([readRecord(first ?? ''), readRecord(second ?? '')])
  succeeded(await correct(first ?? '', { dateOfBirth: '1990-01-02', reason: 'typing error' }))
  const after = await Promise.all([readRecord(first ?? ''), readRecord(second ?? '')])
  assert.deepEqual(
    after.map(({ version }, index) => version - (before[index]?.version ?? 0)),
    [1, 0],
  )
})

test('a correction that is not an object, without a value, with a wrong check digit, before the contract is in force or after an erasure is rejected', async () => {
  const { record, lead } = await inForce()
  const { contractNumber } = record
  for (const body of [null, [], 'text']) rejected(await correct(contractNumber, body), 400, 'invalid_request')
  rejected(await correct(contractNumber, { reason: 'nothing' }), 400, 'invalid_request')
  assertProblem(await correct(contractNumber, { dateOfBirth: '2199-01-01', reason: 'x' }), 'validation_failed', [
    '/dateOfBirth out_of_range',
  ])
  assertProblem(await correct(contractNumber, { mpan: '1800021679847', mprn: '1', reason: 'x' }), 'validation_failed', [
    '/mpan wrong_format',
    '/mprn wrong_format',
  ])
  rejected(await correct(contractNumber, { mpan: '1800021679848' }), 400, 'invalid_request')
  const household = await startHousehold(partner)
  await onboard(partner, household.lead)
  const agreed =
    succeeded(await partner.get(`/Customers/${household.lead}/contracts`)).contracts[0]?.contractNumber ?? ''
  rejected(await correct(agreed, { mpan: '1800021679848', reason: 'x' }), 422, 'contract_not_in_force')
  await eraseByForce(service, lead)
  rejected(await correct(contractNumber, { mpan: '1800021679848', reason: 'x' }), 422, 'customer_erased')
})
