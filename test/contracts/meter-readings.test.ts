import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { removeEndedContracts } from '../../src/privacy/remove-ended-contracts.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { type HouseholdOptions, onboard, startHousehold } from '../support/household.ts'
import { type ContractRecord, connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createLeadOnboardedQuote, testTime } from '../support/quote-fixtures.ts'
import { join, replace } from '../support/replacements.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const operator = await connectOperator(service, ['contracts:read', 'contracts:write'])

const first = { service: 'electricity', readOn: '2026-12-03', reading: 4_821 } as const
/** What a reading shows that says nothing of registers and serial numbers. */
const plain = { register: 'single', meterSerial: null } as const

/** A household whose contracts run from 3 December 2026, of which it is the fifth day. */
async function supplied(options: HouseholdOptions = {}) {
  const own = await connectNewPartner(service)
  const household = await startHousehold(own, { contractStartDate: '2026-12-03', tenants: 1, ...options })
  for (const tenant of household.tenants) await onboard(own, tenant, { supplyDuringCancellation: true })
  await advanceClock(own, { days: 6 })
  return { own, ...household }
}

const report = (own: Partner, customerId: string, body: object) =>
  own.post(`/Customers/${customerId}/meter-readings`, body)
const readings = async (own: Partner, customerId: string) =>
  succeeded(await own.get(`/Customers/${customerId}/meter-readings`)).meterReadings.map(
    ({ reportedAt: _, ...reading }) => reading,
  )
const recordOf = async (own: Partner, customerId: string) => {
  const { contracts } = succeeded(await own.get(`/Customers/${customerId}/contracts`))
  return succeeded(
    await operator.get<{ record: ContractRecord; timeline: { change: string }[] }>(
      `/Contracts/${contracts[0]?.contractNumber}`,
    ),
  )
}

test('a later reading of the same meter and day replaces the earlier one, and the same again changes nothing', async () => {
  const { own, lead } = await supplied()
  const before = succeeded(await own.get(`/Customers/${lead}/total-cost`))
  const { reportedAt, ...stored } = succeeded(await report(own, lead, first))
  assert.deepEqual(stored, { customerId: lead, ...first, ...plain })
  assert.equal(succeeded(await report(own, lead, first)).reportedAt, reportedAt)
  const gas = { service: 'gas', readOn: '2026-12-07', reading: 0 } as const
  succeeded(await report(own, lead, gas))
  succeeded(await report(own, lead, { ...first, reading: 4_812 }))
  assert.deepEqual(await readings(own, lead), [
    { ...first, reading: 4_812, ...plain },
    { ...gas, ...plain },
  ])
  const entries = await rawRows(
    service,
    `select action, subject_id, fields from audit_log where customer_id = $1 and subject_type = 'meter reading'
      order by entry_number`,
    [lead],
  )
  assert.deepEqual(
    entries.map(({ action, subject_id: subject }) => [action, subject]),
    [
      ['created', 'electricity'],
      ['created', 'gas'],
      ['changed', 'electricity'],
    ],
  )
  assert.deepEqual(entries[2]?.fields, ['reading', 'reported_at'])
  const { record, timeline } = await recordOf(own, lead)
  assert.equal(timeline.filter(({ change }) => change === 'meter_read').length, 3)
  assert.deepEqual(
    record.services.map(({ type, meterReadings }) => [type, meterReadings]),
    [
      ['electricity', [{ readOn: '2026-12-03', reading: 4_812, ...plain }]],
      ['gas', [{ readOn: '2026-12-07', reading: 0, ...plain }]],
    ],
  )
  assert.deepEqual(succeeded(await own.get(`/Customers/${lead}/total-cost`)), before)
})

test('the home has one reading for all of its tenants, and each sees those of the days of their own contract', async () => {
  const { own, lead, tenants } = await supplied({ tenants: 2 })
  const [, second = ''] = tenants
  succeeded(await report(own, lead, first))
  const joiner = await replace(own, second, '2026-12-20')
  await join(own, joiner)
  await advanceClock(own, { days: 20 })
  succeeded(await report(own, second, { ...first, readOn: '2026-12-19', reading: 4_900 }))
  succeeded(await report(own, joiner, { ...first, readOn: '2026-12-20', reading: 4_905 }))
  const days = async (customerId: string) => (await readings(own, customerId)).map(({ readOn }) => readOn)
  assert.deepEqual(await days(lead), ['2026-12-03', '2026-12-19', '2026-12-20'])
  assert.deepEqual(await days(second), ['2026-12-03', '2026-12-19'])
  assert.deepEqual(await days(joiner), ['2026-12-20'])
  const wrong = await report(own, joiner, { ...first, readOn: '2026-12-19' })
  assertProblem(wrong, 'validation_failed', ['/readOn out_of_range'])
  assert.equal((await recordOf(own, joiner)).record.services[0]?.meterReadings.length, 3)
})

test('only days of the contract up to today are accepted, and only services with a meter that it has', async () => {
  const { own, lead } = await supplied({ packages: ['gas'] })
  const gas = { service: 'gas', readOn: '2026-12-07', reading: 99_999_999 } as const
  for (const readOn of ['2026-12-02', '2026-12-08'])
    assertProblem(await report(own, lead, { ...gas, readOn }), 'validation_failed', ['/readOn out_of_range'])
  assertProblem(await report(own, lead, first), 'validation_failed', ['/service not_allowed'])
  assertProblem(await report(own, lead, { ...gas, service: 'broadband' }), 'validation_failed', [
    '/service not_allowed',
  ])
  for (const reading of [-1, 100_000_000])
    rejected(await report(own, lead, { ...gas, reading }), 422, 'validation_failed')
  rejected(await report(own, lead, { ...gas, reading: '4821' }), 400, 'invalid_request')
  rejected(await report(own, lead, {}), 400, 'invalid_request')
  assert.deepEqual(await readings(own, lead), [])
  succeeded(await report(own, lead, gas))
})

test('from the day of moving in, each register is read, and a serial number that the supplier does not have is a task', async () => {
  const { own, lead, quoteId } = await supplied({ moveIn: { date: '2026-12-01' } })
  const day = { ...first, readOn: '2026-12-01', register: 'day', meterSerial: '21 e 5-6778' } as const
  assert.equal(succeeded(await report(own, lead, day)).meterSerial, '21E56778')
  succeeded(await report(own, lead, { ...day, register: 'night', reading: 77 }))
  succeeded(await report(own, lead, { service: 'electricity', readOn: '2026-12-01', register: 'day', reading: 4_822 }))
  const rows = (await readings(own, lead)).map(({ register, reading, meterSerial }) => [register, reading, meterSerial])
  assert.deepEqual(rows, [
    ['day', 4_822, '21E56778'],
    ['night', 77, '21E56778'],
  ])
  assertProblem(await report(own, lead, { ...first, readOn: '2026-11-30' }), 'validation_failed', [
    '/readOn out_of_range',
  ])
  const ofGas = { ...day, service: 'gas' }
  assertProblem(await report(own, lead, ofGas), 'validation_failed', ['/register not_allowed'])

  const supplier = (meterSerial: string) =>
    operator.post(`/Quotes/${quoteId}/services/electricity-standard/status`, {
      ...{ status: 'requested', effectiveDate: '2026-12-07', meterSerial },
    })
  const isTask = async () => {
    const { data } = succeeded(
      await operator.get<{ data: { quoteId: string }[] }>('/Tasks?kind=wrong_meter&limit=1000'),
    )
    return data.filter((task) => task.quoteId === quoteId).length
  }
  assert.equal(await isTask(), 0)
  succeeded(await supplier('21e56779'))
  assert.equal(await isTask(), 1, 'the supplier has another meter')
  const [tenants, suppliers] = ['21E56778', '21E56779']
  for (const [register, readOn, meterSerial, tasks, why] of [
    ['day', '2026-12-03', suppliers, 1, 'the night register is still another'],
    ['night', '2026-12-03', suppliers, 0, 'the latest reading of each register counts'],
    ['day', '2026-12-04', tenants, 1, 'a reading after the report'],
    ['night', '2026-12-05', suppliers, 1, 'the other register hides nothing'],
    ['single', '2026-12-06', suppliers, 0, 'a meter with one register took its place'],
    ['single', '2026-12-07', tenants, 1, 'and is another'],
  ] as const) {
    succeeded(await report(own, lead, { ...day, register, readOn, meterSerial }))
    assert.equal(await isTask(), tasks, why)
  }
  succeeded(await supplier('21 E 56778'))
  assert.equal(await isTask(), 0, 'the supplier corrected its meter')
})

test('a contract with broadband only has nothing to read', async () => {
  const { own, lead } = await supplied({ packages: ['broadband'], products: ['fibre-150'] })
  const problem = rejected(await report(own, lead, first), 422, 'validation_failed')
  assert.match(problem.errors?.[0]?.detail ?? '', /no service with a meter/)
})

test('before the contract takes effect nothing can be read, and after the last day of the household a reading still can for a week', async () => {
  const { lead: waiting } = await createLeadOnboardedQuote(partner)
  rejected(await report(partner, waiting, first), 422, 'contract_not_in_force')
  assert.deepEqual(await readings(partner, waiting), [])
  const { own, lead } = await supplied()
  succeeded(await own.post(`/Customers/${lead}/cancel-contract`))
  await advanceClock(own, { days: 10 })
  succeeded(await report(own, lead, { ...first, readOn: '2026-12-14' }))
  assertProblem(await report(own, lead, { ...first, readOn: '2026-12-15' }), 'validation_failed', [
    '/readOn out_of_range',
  ])
})

test('the operator reports and lists them too, and finds them in the supply file', async () => {
  const { own, lead, quoteId } = await supplied()
  succeeded(await operator.post(`/Customers/${lead}/meter-readings`, first))
  succeeded(await report(own, lead, { ...first, readOn: '2026-12-07', reading: 4_850 }))
  const { meterReadings } = succeeded(
    await operator.get<{ meterReadings: { reading: number }[] }>(`/Customers/${lead}/meter-readings`),
  )
  assert.deepEqual(
    meterReadings.map(({ reading }) => reading),
    [4_821, 4_850],
  )
  const [entry] = await rawRows(
    service,
    `select actor from audit_log where customer_id = $1 and subject_type = 'meter reading' and action = 'created'
      order by entry_number`,
    [lead],
  )
  assert.equal(entry?.actor, 'operator')
  const lines = await waitFor(
    'the supply file has the readings',
    async () =>
      succeeded(await operator.get<Record<string, unknown>[]>('/Contracts/export?kind=supply&format=json')).filter(
        (line) => line.quoteId === quoteId,
      ),
    (found) => found.some(({ meterReadings: shown }) => shown === '4821 4850'),
  )
  assert.deepEqual(
    lines.map((line) => [line.service, line.meterReadOn, line.meterReadings, line.meterRegisters, line.meterSerials]),
    [
      ['electricity', '2026-12-03 2026-12-07', '4821 4850', 'single single', '- -'],
      ['gas', null, null, null, null],
    ],
  )
})

test('they are in the export of each tenant, stay after an erasure, and leave with the records of the last of the household', async () => {
  const { own, lead, tenants, quoteId } = await supplied({ tenants: 2 })
  const [, second = ''] = tenants
  succeeded(await report(own, lead, first))
  const { meterReadings } = succeeded(await own.get(`/Customers/${second}/export`))
  assert.deepEqual([meterReadings[0]?.readOn, meterReadings[0]?.reading], [first.readOn, first.reading])
  for (const tenant of tenants) succeeded(await own.post(`/Customers/${tenant}/cancel-contract`))
  await advanceClock(own, { days: 1 })
  succeeded(await own.post(`/Customers/${lead}/erase`))
  rejected(await report(own, lead, first), 422, 'customer_erased')
  const kept = () => rawRows(service, 'select from meter_readings where quote_id = $1', [quoteId])
  const past = (customerId: string) =>
    rawRows(
      service,
      `update contracts set starts_on = '2015-01-01', ends_on = '2016-01-01', ended_on = '2016-01-01' where customer_id = $1`,
      [customerId],
    )
  const sweep = () =>
    withDatabaseKeys(service, (opened) =>
      removeEndedContracts({ ...opened, clock: systemClock }, { batch: 100, isStopping: () => false }),
    )
  await past(lead)
  await sweep()
  assert.equal((await kept()).length, 1)
  await past(second)
  await sweep()
  assert.deepEqual(await kept(), [])
})
