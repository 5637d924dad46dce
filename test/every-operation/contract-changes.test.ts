import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { psrReviewJob } from '../../src/back-office/psr-feed/psr-review.job.ts'
import { endedLocksJob } from '../../src/contracts/locks/store-ended-locks.ts'
import { contractChanges } from '../../src/contracts/operator-feeds/feed-changes.ts'
import { dueContractsJob } from '../../src/contracts/termination/end-due-contracts.ts'
import type { ScheduledJob } from '../../src/platform/jobs/scheduler.ts'
import { type Clock, systemClock } from '../../src/platform/kernel/clock.ts'
import { addDays, londonDate } from '../../src/platform/kernel/dates.ts'
import { removeEndedContracts } from '../../src/privacy/remove-ended-contracts.ts'
import { inputPersonalFields } from '../../src/quoting/tenants/personal-details.schema.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows, waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { callEveryOperation, isChanging, type SendRequest } from '../support/every-operation.ts'
import { onboard, personalInformation, psrDetails, startHousehold } from '../support/household.ts'
import { type ContractRecord, connectOperator, eraseByForce, type Operator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { replace } from '../support/replacements.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { sendVariation } from './operation-checks.ts'

/*
 * The operator's feeds say that something changed exactly when the record that they show did: after each operation of
 * the partner API, and after everything else that changes a contract or a registration.
 */

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => service.stop())
let operator: Operator
before(async () => {
  operator = await connectOperator(service)
})

interface Shown {
  contractNumber: string
  changes: string[]
  /** What the feed shows of this contract alone: a record also says what has become of its housemates. */
  record: Record<string, unknown>
}

async function shownOf(contractNumber: string): Promise<Shown> {
  const { record, timeline } = succeeded(
    await operator.get<{ record: ContractRecord; timeline: { change: string }[] }>(`/Contracts/${contractNumber}`),
  )
  assert.equal(record.version, timeline.length)
  const { household, version: _version, ...own } = record
  const { moveIn, nextOccupier } = household
  return { contractNumber, changes: timeline.map(({ change }) => change), record: { ...own, moveIn, nextOccupier } }
}

async function showAll(which = '', values: unknown[] = []): Promise<Map<string, Shown>> {
  const rows = await rawRows(service, `select contract_number from contracts ${which}`, values)
  const shown = await Promise.all(rows.map((row) => shownOf(String(row.contract_number))))
  return new Map(shown.map((each) => [each.contractNumber, each]))
}

/**
 * What was added to the timelines of these contracts. Fails where a record changed without it, or it without a change
 * of the record, unless the record does not yet say whose it is.
 */
function added(earlier: Map<string, Shown>, later: Map<string, Shown>, what: string): string[][] {
  return [...later.values()].map(({ contractNumber, changes, record }) => {
    const last = earlier.get(contractNumber)
    const versions = changes.slice(last?.changes.length ?? 0)
    if (versions.length === 0) assert.deepEqual(record, last?.record, `${what}: the feed does not say so`)
    else if (record.effectiveAt !== null)
      assert.notDeepEqual(record, last?.record, `${what}: ${versions} without a change`)
    return versions
  })
}

test('after every operation of the partner API, each contract has a new version exactly if its record changed', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  let last = await showAll()
  const seen = new Set<string>()
  const send: SendRequest = async (request) => {
    const response = succeeded(await sendVariation({ baseUrl: service.baseUrl, partner }, request))
    if (isChanging(request.route)) {
      const now = await showAll()
      for (const change of added(last, now, request.route.operationId).flat()) seen.add(change)
      last = now
    }
    return response
  }
  await callEveryOperation(service, send, send)
  await waitForProcessorWebhooks(service)
  added(last, await showAll(), 'notices of the processor')
  assert.ok(seen.size > 5, [...seen].join())
})

interface Household {
  partner: Partner
  quoteId: string
  lead: string
  tenants: readonly string[]
  contractNumber: string
}

/** A household of one in force, with needs. */
async function inForce(tenants = 1): Promise<Household> {
  const partner = await connectNewPartner(service)
  const household = await startHousehold(partner, { tenants })
  for (const tenant of household.tenants) await onboard(partner, tenant, { psrDetails: psrDetails() })
  await waitForProcessorWebhooks(service)
  const { contracts } = succeeded(await partner.get(`/Customers/${household.lead}/contracts`))
  return { partner, ...household, contractNumber: contracts[0]?.contractNumber ?? assert.fail() }
}

type JobDependencies = Parameters<Parameters<typeof withDatabaseKeys>[1]>[0] & { clock: Clock }

/** Moves the partner's clock, then runs a job. */
function later(days: number, job: (deps: JobDependencies) => ScheduledJob) {
  return async ({ partner }: Household) => {
    await advanceClock(partner, { days })
    await withDatabaseKeys(service, (opened) =>
      job({ ...opened, clock: systemClock }).run(new AbortController().signal),
    )
  }
}

const patch =
  (body: object) =>
  async ({ partner, lead }: Household) =>
    succeeded(await partner.patch(`/Customers/${lead}`, body))
const correct =
  (body: object) =>
  async ({ contractNumber }: Household) =>
    succeeded(await operator.post(`/Contracts/${contractNumber}/corrections`, { ...body, reason: 'A mistake.' }))
/** Moving a sandbox's clock also sends its tenants the e-mails that are due. */
const sendMails = ({ partner }: Household) => advanceClock(partner, { seconds: 1 })
const endsIn = (days: number) => addDays(londonDate(new Date()), days)
const ending = { code: '32', expiryDate: endsIn(2) }

/** What happens to the household in force, and what is added to its timeline and its register entry. */
const rows: {
  title: string
  act(household: Household): Promise<unknown>
  versions: string[]
  register: string[]
  given?(household: Household): Promise<unknown>
}[] = [
  {
    title: 'a phone number is changed',
    act: patch({ phone: '07700 900777' }),
    versions: ['customer_changed'],
    register: ['changed'],
  },
  { title: 'metadata are changed', act: patch({ metadata: { a: 'b' } }), versions: [], register: [] },
  {
    title: 'other needs are given',
    act: patch({ psrDetails: psrDetails({ categories: [{ code: '09' }] }) }),
    versions: [],
    register: ['changed'],
  },
  {
    title: 'the needs are withdrawn',
    act: patch({ psrDetails: { hasPsr: false } }),
    versions: [],
    register: ['withdrawn'],
  },
  {
    title: 'needs are given again after their withdrawal',
    given: patch({ psrDetails: { hasPsr: false } }),
    act: patch({ psrDetails: psrDetails() }),
    versions: [],
    register: ['registered'],
  },
  {
    title: 'a phone number is changed after the needs were withdrawn',
    given: patch({ psrDetails: { hasPsr: false } }),
    act: patch({ phone: '07700 900777' }),
    versions: ['customer_changed'],
    register: [],
  },
  {
    title: 'one of two needs ends',
    async given(household) {
      await patch({ psrDetails: psrDetails({ categories: [ending, { code: '09' }] }) })(household)
      await sendMails(household)
    },
    act: later(4, psrReviewJob),
    versions: [],
    register: ['changed'],
  },
  {
    title: 'the only need ends',
    async given(household) {
      await patch({ psrDetails: psrDetails({ categories: [ending] }) })(household)
      await sendMails(household)
    },
    act: later(4, psrReviewJob),
    versions: [],
    register: ['expired'],
  },
  {
    title: 'another card is attached',
    async act({ partner, lead }) {
      const intent = succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`, { replace: true }))
      const card = { paymentMethod: 'pm_card_mastercard' } as const
      succeeded(await partner.post(`/Sandbox/setup-intents/${intent.setupIntentId}/confirm`, card))
      await waitForProcessorWebhooks(service)
    },
    versions: ['payment_method_changed'],
    register: [],
  },
  {
    title: 'the operator corrects a meter point',
    act: correct({ mpan: '1800021679848' }),
    versions: ['corrected'],
    register: ['changed'],
  },
  {
    title: 'the operator corrects a birth date',
    act: correct({ dateOfBirth: '1999-05-18' }),
    versions: ['corrected'],
    register: ['changed'],
  },
  {
    title: 'the operator reports how supply goes',
    act: ({ quoteId }) =>
      operator.post(`/Quotes/${quoteId}/services/gas-standard/status`, {
        status: 'requested',
        effectiveDate: endsIn(3),
      }),
    versions: ['services_changed'],
    register: [],
  },
  {
    title: 'a meter is read',
    given: ({ partner }) => advanceClock(partner, { days: 60 }),
    async act({ partner, lead }) {
      const { contract } = succeeded(await partner.get(`/Customers/${lead}`))
      const reading = { service: 'electricity', readOn: contract?.startsOn, reading: 4_821 }
      succeeded(await partner.post(`/Customers/${lead}/meter-readings`, reading))
    },
    versions: ['meter_read'],
    register: [],
  },
  {
    title: 'the partner says who follows in the home',
    act: ({ partner, quoteId }) => partner.patch(`/Quotes/${quoteId}/occupiers`, { nextOccupier: { who: 'agent' } }),
    versions: ['occupiers_changed'],
    register: [],
  },
  {
    title: 'the tenant cancels',
    act: ({ partner, lead }) => partner.post(`/Customers/${lead}/cancel-contract`),
    versions: ['cancelled'],
    register: ['withdrawn'],
  },
  {
    title: 'the tenant gives notice',
    act: ({ partner, lead }) => partner.post(`/Customers/${lead}/end-contract`, { endDate: endsIn(200) }),
    versions: ['end_changed'],
    register: [],
  },
  { title: 'the confirmation is sent', act: sendMails, versions: ['confirmation_sent'], register: [] },
  {
    title: 'the last day is over',
    given: sendMails,
    act: later(500, dueContractsJob),
    versions: ['ended'],
    register: ['withdrawn'],
  },
  {
    title: 'somebody takes over the share',
    async act({ partner, lead }) {
      await onboard(partner, await replace(partner, lead, endsIn(100)), { supplyDuringCancellation: true })
    },
    versions: ['end_changed'],
    register: [],
  },
  {
    title: 'the operator erases the customer during the contract',
    act: ({ lead }) => eraseByForce(service, lead),
    versions: ['erased'],
    register: ['withdrawn'],
  },
  {
    title: 'the records need no longer be kept',
    async given(household) {
      await later(500, dueContractsJob)(household)
      await rawRows(
        service,
        `update contracts set starts_on = '2015-01-01', ends_on = '2016-01-01', ended_on = '2016-01-01'
         where quote_id = $1`,
        [household.quoteId],
      )
    },
    act: () =>
      withDatabaseKeys(service, (opened) =>
        removeEndedContracts({ ...opened, clock: systemClock }, { batch: 100, isStopping: () => false }),
      ),
    versions: ['erased', 'erased'],
    register: [],
  },
]

const seenInRows = new Set(['agreed', 'in_force'])

for (const { title, given, act, versions, register } of rows)
  test(`if ${title}, the feeds say so: ${[...versions, ...register].join(', ') || 'nothing'}`, async () => {
    const household = await inForce()
    await given?.(household)
    const ofLead = () => showAll('where customer_id = $1', [household.lead])
    const entry = () =>
      rawRows(service, 'select version, change from psr_entries where customer_id = $1', [household.lead])
    const [earlier, [registered]] = [await ofLead(), await entry()]
    await act(household)
    assert.deepEqual(added(earlier, await ofLead(), title), [versions])
    const [now] = await entry()
    assert.deepEqual(Number(now?.version) - Number(registered?.version), register.length)
    assert.equal(now?.change, register.at(-1) ?? registered?.change)
    for (const change of versions) seenInRows.add(change)
  })

test('a change of any detail of a person is a version exactly if the feed shows it', async () => {
  const household = await inForce()
  const { dateOfBirth: _, ...given } = personalInformation()
  assert.deepEqual(Object.keys(personalInformation()), Object.keys(inputPersonalFields), 'every detail is given')
  const changed = {
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, `${value}x`])),
    ...{ email: 'new@example.com', phone: '07700 900777', metadata: { branch: 'Norwich' } },
  }
  let earlier = await showAll('where customer_id = $1', [household.lead])
  for (const [name, value] of Object.entries(changed)) {
    await patch({ [name]: value })(household)
    const now = await showAll('where customer_id = $1', [household.lead])
    added(earlier, now, name)
    earlier = now
  }
})

test('agreements that lapse or are made anew are versions too', async () => {
  const partner = await connectNewPartner(service)
  for (const [end, change] of [
    [({ partner: { post }, quoteId }: Household) => post(`/Quotes/${quoteId}/reopen`), 'superseded'],
    [later(20, (deps) => endedLocksJob(deps)), 'lapsed'],
  ] as const) {
    const household = await startHousehold(partner)
    await onboard(partner, household.lead)
    await waitForProcessorWebhooks(service)
    const ofLead = () => showAll('where customer_id = $1', [household.lead])
    const earlier = await ofLead()
    await end({ partner, ...household, contractNumber: '' })
    assert.deepEqual(added(earlier, await ofLead(), change), [[change]])
    seenInRows.add(change)
  }
})

test('each kind of change is caused by a row of this file', () => {
  assert.deepEqual([...seenInRows].sort(), [...contractChanges].sort())
})
