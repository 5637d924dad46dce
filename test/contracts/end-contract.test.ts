import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Static } from 'typebox'
import type { ContractRecordObject } from '../../src/back-office/contract-feed/contract-record.schema.ts'
import type { EndedContractObject } from '../../src/contracts/ended-contract.schema.ts'
import { addDays, isoDate } from '../../src/platform/kernel/dates.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, personalInformation, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createLeadOnboardedQuote, getQuote, testTime, totalCost } from '../support/quote-fixtures.ts'
import { join as joinHousehold, plannedSum, replace, startReplacement } from '../support/replacements.ts'
import { assertProblem, rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const end = (customerId: string, body: object, own: Partner = partner) =>
  own.post(`/Customers/${customerId}/end-contract`, body)
const tryEnd = (customerId: string, body: object, own: Partner = partner) =>
  own.post(`/Customers/${customerId}/end-contract?dryRun=true`, body)

/** A household whose contracts run from 13 January 2027 to 12 January 2028. */
async function inForce(own: Partner = partner, tenants = 1) {
  const household = await startHousehold(own, { tenants })
  for (const tenant of household.tenants) await onboard(own, tenant)
  return household
}
type Answered = { ended: Static<typeof EndedContractObject> }
const payments = async (own: Partner, customerId: string) =>
  succeeded(await own.get(`/Customers/${customerId}/payment-schedules`)).paymentSchedule.payments

test('a contract ends early with the fee of its terms: a dry run says so first, and changes nothing', async () => {
  const own = await connectNewPartner(service)
  const { quoteId, lead } = await inForce(own)
  const before = await payments(own, lead)
  const dry = succeeded(await tryEnd(lead, { endDate: '2027-06-30' }, own))
  assert.deepEqual(await payments(own, lead), before)
  assert.equal(succeeded(await own.get(`/Customers/${lead}`)).contract?.endedOn, null)
  const ended = succeeded(await end(lead, { endDate: '2027-06-30' }, own))
  assert.deepEqual(ended, dry)
  assert.deepEqual(
    [ended.contract.status, ended.contract.endedOn, ended.contract.endReason],
    ['in_force', '2027-06-30', 'notice'],
  )
  const { supplyCost, setupCost, exitFee, exitFeeVat, totalCost, amountDue } = ended.finalStatement
  assert.deepEqual([exitFee, exitFeeVat], [2_000, 95], 'electricity and gas have 5 % VAT on that day')
  assert.equal(totalCost, supplyCost + setupCost + exitFee)
  assert.equal(amountDue, totalCost)
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
  const operator = await connectOperator(service)
  const path = `/Contracts/${ended.contract.contractNumber}` as const
  const { record } = succeeded(await operator.get<{ record: Static<typeof ContractRecordObject> }>(path))
  assert.deepEqual(record.finalStatement, ended.finalStatement, 'the back office is told too')
})

test('after the end is set, the plan adds up to what is owed, to the penny', async () => {
  const own = await connectNewPartner(service)
  const { tenants } = await inForce(own, 3)
  for (const [index, tenant] of tenants.entries()) {
    for (let count = 0; count < index; count++) succeeded(await own.post(`/Sandbox/customers/${tenant}/collect`))
    const { finalStatement } = succeeded(await end(tenant, { endDate: '2027-05-17' }, own))
    const plan = await payments(own, tenant)
    const sum = plan.reduce((total, { amount }) => total + amount, 0)
    assert.equal(sum - finalStatement.refundAmount, finalStatement.totalCost)
    const amountOf = (kind: string) => plan.findLast((each) => each.kind === kind)?.amount
    const { lastPayment, exitFeePayment } = finalStatement
    assert.equal(amountOf('fee'), exitFeePayment?.amount)
    if (lastPayment !== null) assert.equal(amountOf('last'), lastPayment.amount)
  }
})

test('set-up is charged once: a joiner who ends early owes it only if they began on the first day of the share', async () => {
  const end30June = { endDate: '2027-06-30' }
  const withSetUp = { packages: ['electricity', 'gas', 'broadband'], products: ['fibre-150'] } as const
  const apart = { priceReduction: 0, waivedAmount: 0, owedAgainAmount: 0, lateFeeAmount: 0 }
  const figures = { exitFee: 2_000, exitFeeVat: 135, alreadyPaid: 0, refundAmount: 0, refundBy: null, ...apart }
  const last = { lastPayment: null, exitFeePayment: { date: '2027-07-01', amount: 2_000 } }
  const whole = { supplyCost: 49_190, setupCost: 500, totalCost: 51_690, amountDue: 51_690, ...figures, ...last }
  // From 1 March, the leaver owes 500 for set-up and 14,102 for supply, and the joiner four months of 8,772.
  const rest = { supplyCost: 35_088, setupCost: 0, totalCost: 37_088, amountDue: 37_088, ...figures, ...last }
  for (const [from, ofJoiner, ofLeaver] of [
    ['2027-03-01', rest, 14_602],
    ['2027-01-13', whole, 0],
  ] as const) {
    const { leaver, joiner, others } = await startReplacement(partner, { ...withSetUp, from, tenants: 2 })
    await joinHousehold(partner, joiner)
    const ended = succeeded(await end(joiner, end30June))
    assert.deepEqual(ended.finalStatement, ofJoiner)
    assert.deepEqual(
      [await plannedSum(partner, leaver), await plannedSum(partner, joiner)],
      [ofLeaver, ofJoiner.totalCost],
    )
    // A housemate who stays until the same day owes what the two owe together.
    assert.deepEqual(succeeded(await tryEnd(others[0] ?? '', end30June)).finalStatement, whole)
    assert.equal(ofLeaver + ofJoiner.totalCost, whole.totalCost)
  }
})

test('the partner says whether the reason of a tenant is true: a no is a task, and costs nobody anything', async () => {
  const own = await connectNewPartner(service)
  const { lead, quoteId } = await inForce(own)
  const confirm = (isTrue: boolean, by: Partner = own) => by.post(`/Customers/${lead}/confirm-end-reason`, { isTrue })
  rejected(await confirm(false), 422, 'nothing_asked')
  const said = { lastDay: '2027-05-31', reason: 'tenancy_ended', evidence: 'tenants_notice' }
  succeeded(await own.post(`/Quotes/${quoteId}/end-household`, said))
  const operator = await connectOperator(service)
  succeeded(await operator.post<Answered>(`/Customers/${lead}/answer-tenancy-end`, { answer: 'leaves' }))
  const [event] = await rawRows(
    service,
    `select data from events where data ->> 'customerId' = $1 and type = 'customer.contract.ending'
      order by event_number desc`,
    [lead],
  )
  assert.partialDeepStrictEqual(event, { data: { reason: 'tenancy_ended', confirmationWanted: true } })
  const plan = await payments(own, lead)
  const tasks = async () => {
    const { data } = succeeded(await operator.get<{ data: { customerId: string }[] }>('/Tasks?kind=end_doubted'))
    return data.filter(({ customerId }) => customerId === lead).length
  }
  const checks = [await confirm(false), await confirm(true), await confirm(false)].map((each) => succeeded(each).check)
  assert.deepEqual([...checks, await tasks()], ['doubted', 'confirmed', 'doubted', 1])
  assert.equal(succeeded(await confirm(false, asOperator)).check, 'settled')
  assert.deepEqual([await tasks(), await payments(own, lead)], [0, plan])
  // Another end is another question.
  succeeded(await confirm(false))
  succeeded(await keep(lead, asOperator))
  assert.equal(await tasks(), 0)
  rejected(await confirm(true), 422, 'nothing_asked')
})

test('a contract that ends before its first day ends at once, and only the fee is owed', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  const { contract, finalStatement } = succeeded(await end(lead, { endDate: '2026-12-31' }, own))
  assert.deepEqual([contract.status, contract.endedOn], ['ended', '2026-12-01'])
  assert.deepEqual([finalStatement.totalCost, finalStatement.exitFeePayment?.amount], [2_000, 2_000])
})

// A partner's word of the end of a tenancy is a question to the tenant: see end-household.test.ts.
const asOperator = (await connectOperator(service)) as unknown as Partner
const keep = (customerId: string, own: Partner) => own.post(`/Customers/${customerId}/keep-contract`)
const sumOf = (plan: readonly { amount: number }[]) => plan.reduce((sum, { amount }) => sum + amount, 0)

test('an end that is moved or taken back leaves what would have been owed without it, payment by payment', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  const before = await payments(own, lead)
  const ends = [
    { endDate: '2027-02-03' },
    { endDate: '2027-06-30' },
    { endDate: '2027-11-24' },
    { endDate: '2027-02-03', reason: 'tenancy_ended' },
    { endDate: '2027-08-17', reason: 'property_uninhabitable' },
  ]
  const direct = new Map<object, unknown>()
  for (const each of ends) direct.set(each, succeeded(await tryEnd(lead, each, asOperator)))
  const someEnds = fc.array(fc.constantFrom(...ends), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(someEnds, async (chosen) => {
      for (const each of chosen) {
        assert.deepEqual(succeeded(await tryEnd(lead, each, asOperator)), direct.get(each))
        const ended = succeeded(await end(lead, each, asOperator))
        assert.deepEqual(ended, direct.get(each))
        assert.equal(sumOf(await payments(own, lead)), ended.finalStatement.totalCost)
      }
      const dry = succeeded(await asOperator.post(`/Customers/${lead}/keep-contract?dryRun=true`))
      const kept = succeeded(await keep(lead, asOperator))
      assert.deepEqual(kept, dry)
      assert.deepEqual([kept.contract.endedOn, kept.contract.endReason], [null, null])
      assert.deepEqual(await payments(own, lead), before)
    }),
    { numRuns: 4 },
  )
  rejected(await keep(lead, own), 422, 'end_date_not_allowed')
  const told = await rawRows(
    service,
    `select kind from tenant_mails where customer_id = '${lead}' and kind in ('end_taken_back', 'notice_received')`,
  )
  assert.ok(told.some(({ kind }) => kind === 'end_taken_back'))
})

test('money that was taken before an end is taken back counts: the plan comes to the whole price, to the penny', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  const whole = sumOf(await payments(own, lead))
  for (const paid of [0, 1, 2]) {
    for (let count = 0; count < paid; count++) succeeded(await own.post(`/Sandbox/customers/${lead}/collect`))
    const { finalStatement } = succeeded(await end(lead, { endDate: '2027-02-03' }, own))
    if (finalStatement.amountDue > 0) succeeded(await own.post(`/Sandbox/customers/${lead}/collect`))
    assert.equal(succeeded(await keep(lead, own)).finalStatement.totalCost, whole)
    const plan = await payments(own, lead)
    assert.equal(sumOf(plan), whole, `${paid}`)
  }
})

test('for a cause that the terms waive there is no notice, no fee and no unpaid set-up, and the day can be over', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  const ended = succeeded(await end(lead, { endDate: '2027-06-30' }, own))
  assert.equal(ended.finalStatement.exitFee, 2_000)
  await advanceClock(own, { days: 60 })
  const late = { endDate: '2027-01-20', reason: 'tenancy_ended' }
  const { contract, finalStatement } = succeeded(await end(lead, late, asOperator))
  assert.deepEqual([contract.endedOn, contract.endReason], ['2027-01-20', 'tenancy_ended'])
  assert.deepEqual([finalStatement.exitFee, finalStatement.setupCost], [0, 0])
  assert.equal(sumOf(await payments(own, lead)), finalStatement.totalCost)
  assertProblem(await end(lead, { ...late, reason: 'serious_illness' }, own), 'validation_failed', [
    '/reason not_allowed',
  ])
  rejected(await end(lead, { endDate: '2026-11-30', reason: 'tenancy_ended' }, own), 422, 'end_date_not_allowed')
})

test('the operator ends a contract for a cause that stays between them and the tenant', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  const operator = await connectOperator(service)
  const body = { endDate: '2027-01-20', reason: 'left_for_safety' }
  const { contract, finalStatement } = succeeded(
    await operator.post<Static<typeof EndedContractObject>>(`/Customers/${lead}/end-contract`, body),
  )
  assert.deepEqual([contract.endReason, finalStatement.exitFee], ['notice', 0])
  // Who set it can change it, and the operator; not the partner.
  rejected(await keep(lead, own), 422, 'end_date_not_allowed')
  rejected(await end(lead, { endDate: '2027-06-30' }, own), 422, 'end_date_not_allowed')
  const path = `/Contracts/${contract.contractNumber}` as const
  const { record } = succeeded(await operator.get<{ record: Static<typeof ContractRecordObject> }>(path))
  assert.equal(record.endCause, 'left_for_safety')
  assert.doesNotMatch(JSON.stringify(succeeded(await own.get(`/Customers/${lead}`))), /safety/)
  succeeded(await operator.post(`/Customers/${lead}/keep-contract`))
})

test('a tenancy that did not start ends the contract as if it had never begun, until supply begins', async () => {
  const own = await connectNewPartner(service)
  const fell = { reason: 'tenancy_did_not_start' }
  const { lead } = await inForce(own)
  await advanceClock(own, { days: 50 })
  const { contract, finalStatement } = succeeded(await end(lead, fell, asOperator))
  assert.deepEqual([contract.status, contract.endedOn, contract.endReason], ['ended', '2027-01-12', fell.reason])
  assert.deepEqual([finalStatement.totalCost, await payments(own, lead)], [0, []])
  rejected(await keep(lead, own), 422, 'contract_not_in_force')
  const { quoteId, lead: supplied } = await inForce(own)
  const path = `/Sandbox/quotes/${quoteId}/service-status` as const
  for (const status of ['requested', 'active'])
    succeeded(await own.post(path, { serviceId: 'electricity-standard', status }))
  assertProblem(await end(supplied, fell, own), 'validation_failed', ['/reason not_allowed'])
  succeeded(await end(supplied, { endDate: '2027-12-01', reason: 'tenancy_ended' }, asOperator))
  succeeded(await own.post(path, { serviceId: 'electricity-standard', status: 'ended' }))
  rejected(await keep(supplied, own), 422, 'end_date_not_allowed')
  rejected(await end(supplied, { endDate: '2027-11-01', reason: 'tenancy_ended' }, own), 422, 'end_date_not_allowed')
})

const move = (quoteId: string, body: object, own: Partner) => own.post(`/Quotes/${quoteId}/move-start`, body)
const tryMove = (quoteId: string, body: object, own: Partner) =>
  own.post(`/Quotes/${quoteId}/move-start?dryRun=true`, body)

test('the first day moves after signing: contracts end without a fee, cards stay, and everybody agrees again', async () => {
  const own = await connectNewPartner(service)
  const moveIn = { date: '2027-01-13', gasSupplier: 'Example Gas' }
  const { quoteId, tenants } = await startHousehold(own, { moveIn, metadata: { let: '7' } })
  const [lead = '', second = ''] = tenants
  succeeded(await own.post(`/Customers/${lead}/finalise-personal-information`, personalInformation()))
  succeeded(await own.get(`/Customers/${lead}/pci-preview-url-html`))
  for (const tenant of tenants) await onboard(own, tenant)
  const { amount } = succeeded(await own.post(`/Sandbox/customers/${lead}/collect`))
  succeeded(await end(second, { endDate: '2027-06-30' }, own))
  const [before, customer] = [await getQuote(own, quoteId), succeeded(await own.get(`/Customers/${lead}`))]
  const { totalCost: price } = await totalCost(own, quoteId)
  const to = { contractStartDate: '2027-02-01' }
  const { expiresAt: _, ...dry } = succeeded(await tryMove(quoteId, to, own))
  assert.deepEqual(await getQuote(own, quoteId), before, 'a dry run changes nothing')
  const { expiresAt, ...moved } = succeeded(await move(quoteId, to, own))
  assert.deepEqual(moved, dry)
  assert.ok(Date.parse(expiresAt) > Date.parse(testTime))
  const [old, now] = [moved.before, moved.after]
  assert.deepEqual([old.contractStartDate, now.contractStartDate], ['2027-01-13', '2027-02-01'])
  assert.deepEqual([old.totalCost, now.contractEndDate], [price, '2028-01-31'])
  for (const { contract, finalStatement, customerId } of moved.endedContracts) {
    assert.deepEqual([contract.status, contract.endReason], ['ended', 'tenancy_did_not_start'])
    const { totalCost, exitFee, refundAmount, amountDue } = finalStatement
    assert.deepEqual([totalCost, exitFee, refundAmount, amountDue], [0, 0, customerId === lead ? amount : 0, 0])
  }
  const after = await getQuote(own, quoteId)
  assert.deepEqual([after.status, moved.status, after.householdComplete], ['TenantsAdded', 'TenantsAdded', true])
  assert.deepEqual([after.moveIn?.date, after.metadata], ['2027-02-01', { let: '7' }])
  for (const { status, leavesOn } of after.tenants)
    assert.deepEqual(
      [status, leavesOn],
      ['PersonalInfoComplete', null],
      'nobody leaves on the day of a contract that is over',
    )
  const kept = succeeded(await own.get(`/Customers/${lead}`))
  assert.deepEqual([kept.paymentMethod, kept.personalDetails], [customer.paymentMethod, customer.personalDetails])
  rejected(await own.post(`/Customers/${lead}/cancel-contract`, {}), 422, 'contract_not_in_force')

  rejected(await own.post(`/Customers/${lead}/accept-terms`), 422, 'terms_changed')
  succeeded(await own.get(`/Customers/${lead}/pci-preview-url-html`))
  for (const tenant of tenants) succeeded(await own.post(`/Customers/${tenant}/accept-terms`))
  assert.equal((await getQuote(own, quoteId)).status, 'completed')
  let sum = 0
  for (const tenant of tenants) {
    const { contracts } = succeeded(await own.get(`/Customers/${tenant}/contracts`))
    assert.deepEqual(
      contracts.map(({ status, startsOn, endReason }) => [status, startsOn, endReason]),
      [
        ['in_force', '2027-02-01', null],
        ['ended', '2027-01-13', 'tenancy_did_not_start'],
      ],
    )
    sum += await plannedSum(own, tenant)
  }
  assert.equal(sum, now.totalCost, 'the new plans are of the new price, and nothing else')
  const kinds = await rawRows(
    service,
    `select kind from tenant_mails where customer_id = '${lead}' and kind in ('start_moved', 'notice_received')`,
  )
  assert.deepEqual(kinds, [{ kind: 'start_moved' }], 'one e-mail says all of it')
})

test('the first day moves in every state until supply is requested, somebody leaves or a share is taken over', async () => {
  const own = await connectNewPartner(service)
  type Signed = Awaited<ReturnType<typeof inForce>>
  const signed = (then: (household: Signed) => Promise<unknown>) => async (household: Signed) => {
    for (const tenant of household.tenants) await onboard(own, tenant)
    await then(household)
  }
  const supply = { serviceId: 'electricity-standard', status: 'requested' }
  const states: Record<string, [(household: Signed) => Promise<unknown>, RegExp | string[]]> = {
    open: [async () => undefined, []],
    agreed: [({ lead }) => onboard(own, lead), ['superseded']],
    moved: [signed(({ quoteId }) => move(quoteId, { contractStartDate: '2027-03-01' }, own)), ['ended', 'ended']],
    requested: [
      signed(({ quoteId }) => own.post(`/Sandbox/quotes/${quoteId}/service-status`, supply)),
      /Supply was requested/,
    ],
    ended: [signed(({ lead }) => own.post(`/Customers/${lead}/cancel-contract`, {})), /contract of a tenant is over/],
    replaced: [signed(({ lead }) => replace(own, lead, '2027-03-01')), /takes over a share/],
    presumed: [signed(() => advanceClock(own, { days: 50 })), /Supply was requested/],
  }
  for (const [state, [prepare, expected]] of Object.entries(states)) {
    const household = await startHousehold(own, { contractEndDate: '2028-01-31' })
    await prepare(household)
    const { quoteId, tenants } = household
    const before = await getQuote(own, quoteId)
    const response = await move(quoteId, { contractStartDate: '2027-02-01' }, own)
    if (expected instanceof RegExp) {
      assert.match(rejected(response, 422, 'start_not_movable').detail, expected, state)
      assert.deepEqual(await getQuote(own, quoteId), before, state)
      continue
    }
    const { after, status } = succeeded(response)
    assert.deepEqual([status, after.contractEndDate], ['TenantsAdded', '2028-01-31'], `${state}: a chosen end stays`)
    const contracts = []
    for (const tenant of tenants)
      contracts.push(...succeeded(await own.get(`/Customers/${tenant}/contracts`)).contracts)
    assert.deepEqual(
      contracts.map((each) => each.status),
      expected,
      state,
    )
    const again = await move(quoteId, { contractStartDate: '2027-02-01' }, own)
    assertProblem(again, 'validation_failed', ['/contractStartDate not_allowed'])
    const past = { contractStartDate: '2026-12-01', contractEndDate: '2028-12-31' }
    const fields = ['/contractEndDate out_of_range', '/contractStartDate out_of_range']
    assertProblem(await move(quoteId, past, own), 'validation_failed', fields)
  }
})

test('an end that is missing or impossible, or leaves no notice, is rejected', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await inForce(own)
  for (const [body, code, fields] of [
    [{}, 'validation_failed', ['/endDate required']],
    [{ endDate: '2027-06-30', informedOn: '2026-12-02' }, 'validation_failed', ['/informedOn out_of_range']],
    [{ endDate: '2028-01-12' }, 'end_date_not_allowed', ['/endDate end_date_not_allowed']],
  ] as const)
    assertProblem(await end(lead, body, own), code, [...fields])
  rejected(await end(lead, { endDate: '2027-13-01' }, own), 422, 'validation_failed')
  const early = rejected(await end(lead, { endDate: '2026-12-30' }, own), 422, 'end_date_not_allowed')
  assert.match(early.detail, /2026-12-31 at the earliest/)
  await advanceClock(own, { days: 20 })
  succeeded(await end(lead, { endDate: '2027-02-01', informedOn: '2026-12-05' }, own))
})

test('a contract that is not in force cannot be ended', async () => {
  const { lead } = await createLeadOnboardedQuote(partner)
  const waiting = rejected(await end(lead, { endDate: '2027-06-30' }), 422, 'contract_not_in_force')
  assert.match(waiting.detail, /cancel-contract/)
  const fresh = await startHousehold(partner)
  assertProblem(await end(fresh.lead, { endDate: '2027-06-30' }), 'contract_not_in_force')
})

test('where the terms do not say in figures what leaving early costs, a contract ends for a cause only, without a fee', async (t) => {
  const { earlyExit: _, ...operator } = JSON.parse(
    readFileSync(new URL('../../reference-data/operator.sample.json', import.meta.url), 'utf8'),
  )
  const folder = mkdtempSync(join(tmpdir(), 'operator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'operator.json')
  writeFileSync(file, JSON.stringify({ ...operator, terms: { ...operator.terms, version: 'without-figures' } }))
  const silent = await startTestService({ OPERATOR_FILE: file })
  t.after(() => silent.stop())
  const own = await connectPartner(silent.baseUrl, silent.credentials)
  const { lead, quoteId } = await inForce(own)
  assert.equal(succeeded(await own.get(`/Quotes/${quoteId}`)).contractTerm, 'for 12 months')
  const { contract } = succeeded(await own.get(`/Customers/${lead}`))
  const problem = rejected(await end(lead, { endDate: contract?.endsOn ?? '' }, own), 422, 'early_exit_not_defined')
  assert.match(problem.detail, /Ask the operator/)
  const support = await connectOperator(silent)
  const path = `/Customers/${lead}/answer-tenancy-end` as const
  /** What is owed once the partner said that the tenancy ends on a day, and the tenant agrees. */
  const leaves = async (days: number) => {
    const lastDay = addDays(isoDate(contract?.startsOn ?? ''), days)
    const said = { lastDay, reason: 'tenancy_ended', evidence: 'tenants_notice' }
    succeeded(await own.post(`/Quotes/${quoteId}/end-household`, said))
    const { ended } = succeeded(await support.post<Answered>(path, { answer: 'leaves' }))
    assert.equal(ended.contract.endedOn, lastDay)
    return ended.finalStatement
  }
  const { exitFee, setupCost } = await leaves(30)
  assert.deepEqual([exitFee, setupCost], [0, 0])
  succeeded(await support.post(`/Customers/${lead}/keep-contract`))
  // By terms that waive nothing, the fee is theirs, and a day before the end of the notice no error.
  const figures = { noticeDays: 90, feePence: 1_500, unpaidSetUpIsDue: false, noFeeInLastDays: 49 }
  const agreed = (earlyExit: object) =>
    rawRows(
      silent,
      `with t as (select version, (text::jsonb || $1::jsonb)::text as text from terms_versions)
       update terms_versions v set text = t.text, sha256 = encode(sha256(t.text::bytea), 'hex') from t
        where t.version = v.version`,
      [JSON.stringify({ earlyExit })],
    )
  await agreed(figures)
  assert.equal((await leaves(20)).exitFee, 1_500)
  // The length that a completed quote says is that of the terms which were agreed, not of the operator's today.
  for (const [waivedFor, length] of [
    [[{ cause: 'tenancy_ended', services: ['broadband'] }], 'for 12 months'],
    [[{ cause: 'tenancy_ended' }], 'for 12 months, or until your tenancy ends'],
  ] as const) {
    await agreed({ ...figures, waivedFor })
    const listed = succeeded(await own.get('/Quotes')).data.map(({ contractTerm }) => contractTerm)
    assert.deepEqual([succeeded(await own.get(`/Quotes/${quoteId}`)).contractTerm, ...listed], [length, length])
  }
})
