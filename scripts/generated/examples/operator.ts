import type { Static } from 'typebox'
import { operatorRoutes } from '../../../src/app/http/operator-routes.ts'
import type { PsrFeedObject } from '../../../src/back-office/psr-feed/psr-feed.route.ts'
import { connectPartner } from '../../../test/support/client.ts'
import { rawRows } from '../../../test/support/customer-fixtures.ts'
import { connectOperator, type Feed } from '../../../test/support/operator.ts'
import { cipherOf, withDatabase } from '../../../test/support/partners.ts'
import { defaultRateCard } from '../../../test/support/rate-cards.ts'
import { succeeded } from '../../../test/support/responses.ts'
import type { TestService } from '../../../test/support/service.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { psrDetails } from './journey.ts'
import { createRecorder, type Recorder, type Recording } from './recorder.ts'

type PsrFeed = Static<typeof PsrFeedObject>

interface Documents {
  contractNumber: string
  documents: { format: string; sha256: string; content: string }[]
}

/** Stands for every cursor of the feed, because they differ with every database. */
const exampleCursor = 'NGQ3ZTFiOWMyYTUwLjQy'

/** Calls every operation of the operator API about a contract in force, and causes its errors. */
export async function recordOperatorApi(service: TestService, recording: Recording): Promise<void> {
  const operator = await connectOperator(service)
  const api = { url: `${service.baseUrl}/operator-api`, token: operator.token, routes: operatorRoutes }
  const recorder = createRecorder(api, recording)
  const { call, peek, fail } = recorder
  // Both feeds show a change only once every older transaction has ended, also those of other databases on the server.
  const { data } = await waitFor(
    'a contract of the examples is in force',
    () => peek<Feed>('listContractFeed', { query: { limit: '500' } }),
    (feed) => feed.data.some(({ record }) => record.status === 'in_force'),
  )
  const inForce = data.findIndex(({ record }) => record.status === 'in_force')
  const entry = data[inForce]
  if (entry === undefined) throw new Error('no contract of the examples is in force')
  const { contractNumber, quoteId, customerId, version } = entry.record
  recording.operations.listContractFeed = {
    response: { data: [entry], nextCursor: exampleCursor, hasMore: inForce < data.length - 1 } satisfies Feed,
  }
  await call('getOperatorContract', { id: contractNumber })
  const stored = await peek<Documents>('getOperatorContractDocuments', { id: contractNumber })
  const documents = stored.documents.map((document) => ({ ...document, content: document.content.slice(0, 32) }))
  recording.operations.getOperatorContractDocuments = { response: { ...stored, documents } satisfies Documents }
  await call('acknowledgeContract', { id: contractNumber, body: { version, reference: 'SUP-1841' } })
  await call('correctContract', {
    id: contractNumber,
    body: { mpan: '1099850091430', reason: 'The meter was exchanged' },
  })
  const missing = {
    ...{ contractNumber, customerId, effectiveAt: entry.record.effectiveAt ?? '' },
    partnerId: entry.record.partnerId,
    ...{ confirmations: 'operator', isGivenUp: true },
  }
  await peek('listMissingConfirmations')
  recording.operations.listMissingConfirmations = { response: { data: [missing], nextCursor: null } }
  const id = [quoteId, 'electricity-standard']
  const body = { status: 'requested', effectiveDate: '2027-01-04', supplierReference: 'E-2210-7' }
  await call('reportService', { id, body })

  const partner = await connectPartner(service.baseUrl, service.credentials)
  succeeded(await partner.patch(`/Customers/${customerId}`, { psrDetails }))
  const register = await waitFor(
    'a customer of the examples is in the register feed',
    () => peek<PsrFeed>('listPriorityServices'),
    (feed) => feed.data.length > 0,
  )
  const [registration] = register.data
  if (registration === undefined) throw new Error('no customer of the examples is in the register feed')
  recording.operations.listPriorityServices = {
    response: { ...register, data: [registration], nextCursor: exampleCursor } satisfies PsrFeed,
  }
  await call('acknowledgePriorityServices', {
    id: registration.customerId,
    body: { version: registration.version, reference: 'PSR-77' },
  })

  await recordPayments(service, recorder, contractNumber)
  await recordDeath(recorder, customerId)
  await recordEndRequest(service, recorder, customerId)
  await recordFiles(recorder)
  await recordRateCards(recorder)
  await recordPartners(recorder)
  await recordReports(recorder)
  await recordCommission(service, recorder, contractNumber)
  const url = 'https://localhost:9/webhooks'
  const { webhookId } = await call<{ webhookId: string }>('addOperatorWebhook', { body: { url } })
  const { data: webhooks } = await peek<{ data: { webhookId: string }[] }>('listAllWebhooks')
  recording.operations.listAllWebhooks = { response: { data: webhooks.filter((each) => each.webhookId === webhookId) } }
  await call('resendMails', { id: customerId })
  // The tenant was asked before (`journey.ts`).
  await call('answerTenancyEnd', { id: customerId, body: { answer: 'stays' } })
  await rawRows(service, 'delete from tenancy_end_questions')
  await fail('nothing_asked', 'answerTenancyEnd', { id: customerId, body: { answer: 'stays' } })
  await call('retryMails', { body: { from: '2026-11-20', to: '2026-11-22' } })
  await call('findCustomers', { query: { contractNumber } })
  const { entries } = await peek<{ entries: { by: { actor: string } | null }[] }>('readTimeline', { id: customerId })
  const told = entries.find(({ by }) => by === null)
  recording.operations.readTimeline = { response: { entries: [entries[0], told] } }

  const foreign = Buffer.from('000000000000.42').toString('base64url')
  await fail('feed_reset', 'listContractFeed', { query: { after: foreign } })
  const other = { version, reference: 'SUP-1842' }
  await fail('acknowledged_otherwise', 'acknowledgeContract', { id: contractNumber, body: other })
  await fail('service_status_not_allowed', 'reportService', { id, body: { ...body, status: 'ended' } })
}

/** Lists and reports payments of a contract, and settles one that belongs to nothing. */
async function recordPayments(
  service: TestService,
  { call, peek, fail }: Recorder,
  contractNumber: string,
): Promise<void> {
  const due = await withDatabase(service, (db) =>
    db.pool.query<{ entryId: string; dueOn: string; customerId: string }>(
      `select entry_id as "entryId", due_on::text as "dueOn", customer_id as "customerId" from payment_entries
        where contract_number = $1 and status = 'planned' order by due_on limit 2`,
      [contractNumber],
    ),
  )
  const [first, second] = due.rows
  if (first === undefined || second === undefined) throw new Error('the contract of the examples has no payments')
  const { customerId, dueOn: dueBefore } = second
  await call('listPayments', { query: { customerId, dueBefore, status: 'scheduled' } })
  await call('reportPayment', { id: first.entryId, body: { status: 'submitted', paymentId: 'pi_3Q2kFd' } })
  await fail('payment_status_not_allowed', 'reportPayment', { id: first.entryId, body: { status: 'refunded' } })
  await withDatabase(service, (db) =>
    db.pool.query(
      `insert into payment_reports (report_id, partner_id, customer_id, outcome, payment_id, amount_pence, occurred_at)
       select 'ch_3Q2kGx', partner_id, customer_id, 'paid', 'pi_3Q2kGx', amount_pence, $2 from payment_entries
         where entry_id = $1`,
      [second.entryId, '2026-11-20T09:29:10.000Z'],
    ),
  )
  await call('listUnmatchedPayments')
  await call('listTasks', { query: { kind: 'payment_unmatched' } })
  await call('settleUnmatchedPayment', { id: 'ch_3Q2kGx', body: { entryId: second.entryId } })

  const dayAfterNext = { status: 'paid', paymentId: 'BACS-18', occurredAt: '2026-11-21T09:00:00.000Z' }
  await peek('reportPayment', { id: first.entryId, body: dayAfterNext })
  const { reports } = await peek<{ reports: { reportId: string }[] }>('readPayment', { id: first.entryId })
  const reportId = reports.at(-1)?.reportId
  const reason = 'The transfer was from another tenant.'
  await call('correctPaymentReport', { id: first.entryId, body: { reportId, reason } })
  await call('readPayment', { id: first.entryId })
  await call('putPaymentBack', { id: first.entryId, body: { dueDate: '2027-02-01' } })
  const compensation = { kind: 'compensation', amount: 998, reason: 'The broadband line was dead for a day.' }
  const collected = await withDatabase(service, (db) =>
    db.pool.query<{ entryId: string }>(
      `select entry_id as "entryId" from payment_entries where contract_number = $1 and status = 'paid'
        order by collected_at desc limit 1`,
      [contractNumber],
    ),
  )
  const id = collected.rows[0]?.entryId ?? ''
  const { entryId } = await call<{ entryId: string }>('orderRefund', { id, body: compensation })
  await call('payRefund', { id: entryId })
}

/** Answers what a tenant asked on their pages. */
async function recordEndRequest(service: TestService, { call }: Recorder, id: string): Promise<void> {
  const comment = 'Please ring me at work: 020 7946 0321'
  const asked = JSON.stringify({ cause: 'moved_into_care', lastDay: '2027-02-28', comment, answer: null })
  const at = { column: 'end_requests.details', row: id }
  await rawRows(
    service,
    `insert into end_requests (customer_id, partner_id, contract_number, details_encrypted, asked_at, due_on)
     select customer_id, partner_id, contract_number, $2, '2026-11-20T09:30:00Z', '2026-12-04' from customers
      where customer_id = $1`,
    [id, (await cipherOf(service)).encrypt(asked, at)],
  )
  await call('readEndRequest', { id })
  await call('answerEndRequest', { id, body: { answer: 'We rang you: your sister takes over your share.' } })
}

/** Reports a death by mistake, and lifts the report. */
async function recordDeath({ call, peek, fail }: Recorder, id: string): Promise<void> {
  const outcome = { outcome: 'lifted' }
  await peek('reportDeath', { id, body: { relationship: 'Sister, by phone', diedOn: '2026-11-18' } })
  await call('listDeathReports', { id })
  await call('decideDeath', { id, body: outcome })
  await fail('no_death_reported', 'decideDeath', { id, body: outcome })
}

/** Creates a partner and manages it. */
async function recordPartners({ call, fail, recording }: Recorder): Promise<void> {
  const contactEmail = 'it@acme-lettings.example'
  const { partnerId } = await call<{ partnerId: string }>('createPartner', {
    body: { name: 'Acme Lettings', contactEmail },
  })
  await call('changePartner', { id: partnerId, body: { requestsPerSecond: 50 } })
  const scopes = ['addresses:read', 'quotes:read', 'quotes:write']
  const { clientId } = await call<{ clientId: string }>('addPartnerCredential', {
    id: partnerId,
    body: { name: 'website', scopes },
  })
  await call('changePartnerCredential', {
    id: [partnerId, clientId],
    body: { allowedFrom: ['192.0.2.0/24'] },
  })
  await call('rotatePartnerCredential', { id: [partnerId, clientId], body: { overlapSeconds: 86_400 } })
  await call('suspendPartner', { id: partnerId })
  await call('resumePartner', { id: partnerId })
  const { data } = await call<{ data: unknown[] }>('listPartners')
  const invited = { name: 'Ada Lang', email: 'ada@acme-lettings.example', partnerId, roles: ['admin'] }
  const { personId } = await call<{ personId: string }>('invitePerson', { body: invited })
  await call('changePerson', { id: personId, body: { branches: ['Leeds'] } })
  await call('listPeople', { query: { partnerId } })
  await call('removePerson', { id: personId })
  recording.operations.listPartners = { response: { data: data.slice(-1) } }
  await call('removePartnerCredential', { id: [partnerId, clientId] })
  await call('disablePartner', { id: partnerId })
  await fail('partner_disabled', 'suspendPartner', { id: partnerId })
}

/** Agrees terms with the partner of a contract, and reads and closes what it has earned. */
async function recordCommission(
  service: TestService,
  { call, peek, fail }: Recorder,
  contractNumber: string,
): Promise<void> {
  const [owner] = await rawRows(service, 'select partner_id from contracts where contract_number = $1', [
    contractNumber,
  ])
  const id = String(owner?.partner_id)
  await call('addCommissionTerms', {
    id,
    body: {
      firstDay: '2027-01-01',
      tiers: [{ upTo: 20, basisPoints: 250 }, { basisPoints: 300 }],
    },
  })
  await call('listCommissionTerms', { id })
  const month = '2026-11'
  const { data } = await call<{ data: unknown[] }>('readCommission', { query: { month } })
  if (data.length === 0) throw new Error('the contract of the examples has not earned')
  // The partner asked before (`journey.ts`).
  const { data: tasks } = await peek<{ data: { queryId: string }[] }>('listTasks', {
    query: { kind: 'commission_queried' },
  })
  const queryId = tasks[0]?.queryId ?? ''
  await call('readCommissionQuery', { id: queryId })
  await call('answerCommissionQuery', {
    id: queryId,
    body: { answer: 'Norwich sold it: we name the branch from now on.' },
  })
  await call('exportCommission', { query: { month, format: 'json' } })
  await fail('commission_month_open', 'closeCommissionMonth', { id, body: { month } })
  await call('closeCommissionMonth', { id, body: { month: '2026-10' } })
  await fail('commission_terms_not_allowed', 'addCommissionTerms', {
    id,
    body: { firstDay: '2026-09-01', tiers: [{ amount: 3_000 }] },
  })
}

/** Takes a rate card from its publication to its withdrawal. */
async function recordRateCards({ call, fail, recording }: Recorder): Promise<void> {
  const id = 'january-2027'
  const card = { ...(await defaultRateCard()), id, name: 'January 2027', onSaleFrom: '2027-01-01' }
  const response = await call('publishRateCard', { body: { card } })
  const { source, onSaleFrom } = card
  recording.operations.publishRateCard = { request: { card: { id, name: card.name, source, onSaleFrom } }, response }
  await call('scheduleRateCard', { id, body: { onSaleFrom: '2027-01-01', onSaleTo: '2027-03-31' } })
  await call('restrictRateCard', { id, body: {} })
  const { homes, ...comparison } = await call<{ homes: unknown[] }>('compareRateCards', {
    query: { before: 'price-cap-2026-q4-gb-average', after: id },
  })
  recording.operations.compareRateCards = { response: { ...comparison, homes: homes.slice(0, 1) } }
  const { data } = await call<{ data: unknown[] }>('listRateCards')
  recording.operations.listRateCards = { response: { data: data.slice(0, 1) } }
  await call('withdrawRateCard', { id })
  await call('listRateCardHouseholds', { id: 'price-cap-2026-q4-gb-average', query: { limit: '1' } })
  await fail('rate_card_change_not_allowed', 'scheduleRateCard', { id, body: { onSaleFrom: '2027-02-01' } })
}

/** Reads and exports the reports. */
async function recordReports({ call, peek, recording }: Recorder): Promise<void> {
  await call('readFunnel', { query: { limit: '1' } })
  const [line] = await peek<unknown[]>('exportFunnel', { query: { format: 'json' } })
  recording.operations.exportFunnel = { response: [line] }
}

/** Exports a line of each file. */
async function recordFiles({ peek, recording }: Recorder): Promise<void> {
  for (const operationId of ['exportContracts', 'exportPriorityServices', 'exportPayments']) {
    const lines = await peek<Record<string, unknown>[]>(operationId, { query: { format: 'json' } })
    const line = lines.find(({ status }) => status === undefined || status === 'in_force' || status === 'scheduled')
    if (line === undefined) throw new Error(`${operationId} returned no line to show`)
    recording.operations[operationId] = { response: [line] }
  }
}
