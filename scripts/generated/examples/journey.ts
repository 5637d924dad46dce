import { eventTypes } from '../../../src/events/event.ts'
import { addDays, isoDate, londonDate } from '../../../src/platform/kernel/dates.ts'
import type { Recorder } from './recorder.ts'

/** What the journey needs to know about the service. */
export interface JourneyContext {
  recorder: Recorder
  /** A URL whose receiver verifies webhooks and accepts every message. By default, nobody receives any. */
  receiverUrl?: string
  /** Waits until the receiver has been sent this many messages. */
  receive?(count: number): Promise<void>
  /**
   * Does the work of the webhook worker. If it is missing, a worker runs, and the journey waits until it has delivered
   * everything.
   */
  work?(): Promise<void>
  /** Has a contract earn commission at once. */
  earn(contractNumber: string): Promise<void>
}

const unreachable = 'https://localhost:9/webhooks'

interface Intent {
  setupIntentId: string
}

interface Contract {
  contractNumber: string
  effectiveAt: string
  startsOn: string
}

interface Ids {
  quoteId: string
  tenantIds: readonly string[]
}

const tenants = [
  { name: 'Ada Lovelace', email: 'ada@example.com', metadata: { applicant: 'A-1042' } },
  { name: 'Mary Somerville', email: 'mary@example.com' },
]

const contactPermission = { givenAt: '2025-11-28T17:30:00Z', by: 'booking form' }

/** A body for `finalisePersonalInformation`. */
export function personalInformation(changes: object = {}): object {
  return {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    phone: '07700 900123',
    dateOfBirth: '1995-12-10',
    ...changes,
  }
}

/** Valid Priority Services Register details. */
export const psrDetails = {
  hasPsr: true,
  categories: [{ code: '08' }],
  consentToShare: true,
  authorisedContact: {
    firstName: 'Sam',
    lastName: 'Lovelace',
    relationship: 'sister',
    phone: '+44 7700 900456',
    consentGiven: true,
  },
}

/** Finds the address that the journey quotes. */
export async function findAddress({ call }: Recorder): Promise<string> {
  const query = { postcode: 'NR4 7TJ' }
  const [address] = await call<{ addressUid: string; addressLine1: string }[]>('lookupAddresses', { query })
  if (address === undefined) throw new Error('the postcode has no sample property')
  const lines = [`${address.addressLine1.toLowerCase()} nr47tj`, '24 Mill Lane, Leeds']
  await call('matchAddresses', { body: { lines } })
  return address.addressUid
}

/** A new quote with packages and tenants. */
export async function startQuote({ call }: Recorder, addressUid: string, changes: object = {}): Promise<Ids> {
  const body = {
    addressUid,
    packages: ['electricity', 'gas'],
    reference: 'viewing-42',
    metadata: { branch: 'Norwich' },
    ...changes,
  }
  const { quoteId } = await call<{ quoteId: string }>('createQuote', { body })
  const added = await call<{ tenants: { tenantId: string }[] }>('addTenants', { id: quoteId, body: { tenants } })
  const tenantIds = added.tenants.map(({ tenantId }) => tenantId)
  return { quoteId, tenantIds }
}

/** Calls every operation successfully, in the order in which a partner would. */
export async function recordOperations(context: JourneyContext): Promise<void> {
  const { recorder, receiverUrl = unreachable } = context
  const { call } = recorder
  await call('sandboxListPostcodes')
  const addressUid = await findAddress(recorder)
  const events = [...eventTypes]
  const { webhookId } = await call<{ webhookId: string }>('createWebhook', { body: { url: receiverUrl, events } })
  await context.receive?.(1)

  await call('listQuotingToolVersions')
  const { quoteId, tenantIds } = await startQuote(recorder, addressUid)
  await call('addPackages', { id: quoteId, body: { packageIds: ['electricity-standard'] } })
  await call('updatePackages', { id: quoteId, body: { packageIds: ['electricity-standard', 'gas-standard'] } })
  await call('requestBroadbandAvailability', { body: { addressUid } })
  await call('runBroadbandAvailabilityCheck', { id: addressUid })
  await call('addBroadbandProducts', { id: quoteId, body: { broadbandProducts: ['fibre-150'] } })
  const { availableDates } = await call<{ availableDates: string[] }>('getBroadbandInstallDates', { id: quoteId })
  await call('selectInstallDate', { id: quoteId, body: { date: availableDates[1] } })
  await call('getQuote', { id: quoteId })
  await call('getQuoteTotalCost', { id: quoteId })
  await call('estimateQuote', { id: quoteId, query: { tenants: '3' } })
  await call('listQuotes')
  await call('updateQuote', { id: quoteId, body: { metadata: { branch: 'Norwich', negotiator: 'kim' } } })

  const moveIn = { date: '2026-12-28', electricitySupplier: 'Example Energy' }
  const nextOccupier = { who: 'agent', name: 'Riverside Lettings', contact: '01603 555 0100' }
  await call('updateOccupiers', { id: quoteId, body: { moveIn, nextOccupier } })
  await call('getOccupiers', { id: quoteId })

  const [lead = '', second = ''] = tenantIds
  await call('listPsrCategories')
  await call('finalisePersonalInformation', { id: lead, body: personalInformation({ psrDetails }) })
  await call('getCustomerTotalCost', { id: lead })
  await call('getPaymentSchedules', { id: lead })
  const { documentHash } = await call<{ documentHash: string }>('getPciPreviewUrlHtml', { id: lead })
  await call('getPciPreviewUrlPdf', { id: lead })
  const { setupIntentId } = await call<Intent>('createSetupIntent', { id: lead })
  await call('sandboxConfirmSetupIntent', { id: setupIntentId, body: { paymentMethod: 'pm_card_visa' } })
  const shownText = 'Electricity and gas for 12 months. First payment: 15 January. Agree and pay £58.82 a month'
  const evidence = { tenantIp: '203.0.113.7', tenantUserAgent: 'Mozilla/5.0', shownText }
  await call('acceptTerms', { id: lead, body: { documentHash, ...evidence } })
  await call('getPciContractUrlHtml', { id: lead })
  await call('getPciContractUrlPdf', { id: lead })
  await call('createSetupIntent', { id: lead, body: { replace: true } })
  await call('getCustomer', { id: lead })
  await call('listCustomers', { query: { email: 'ada@example.com', limit: '2' } })
  await call('listContracts', { id: lead })
  await call('updateCustomer', { id: lead, body: { phone: '07700 900789' } })
  await call('exportCustomer', { id: lead })

  const mary = personalInformation({ firstName: 'Mary', lastName: 'Somerville', email: 'mary@example.com' })
  await call('finalisePersonalInformation', { id: second, body: mary })
  const waiting = await call<Intent>('createSetupIntent', { id: second })
  const authentication = { paymentMethod: 'pm_card_authenticationRequired' }
  await call('sandboxConfirmSetupIntent', { id: waiting.setupIntentId, body: authentication })
  await call('sandboxAuthenticateSetupIntent', { id: waiting.setupIntentId, body: { outcome: 'passed' } })

  const household = await call<{ tenants: { customerId: string }[] }>('createHousehold', {
    body: {
      ...{ addressUid, packages: ['electricity', 'gas'], reference: 'viewing-43', sendEmails: true },
      tenants: tenants.map((tenant) => ({ ...tenant, contactPermission })),
      householdComplete: true,
    },
  })
  const [{ customerId: invited } = { customerId: '' }] = household.tenants
  await call('createOnboardingLink', { id: invited })
  await call('revokeOnboardingLinks', { id: invited })
  const { importId: id } = await call<{ importId: string }>('createImport', {
    body: { kind: 'start', draft: 'Mill Road' },
  })
  const address = { address: '24 Mill Lane', postcode: 'LS2 9JT' }
  const row = { address, packages: ['electricity', 'gas'], tenants, reference: 'let-7', onDuplicateReference: 'return' }
  await call('updateImport', { id, body: { kind: 'start', rows: [row], draft: null } })
  await call('cancelImport', { id })
  await call('getImport', { id })
  await call('listImports', { query: { limit: '2' } })
  const other = await startQuote(recorder, addressUid)
  const [first = '', ...others] = other.tenantIds
  await call('removeTenants', { id: other.quoteId, body: { tenantIds: others } })
  await call('finalisePersonalInformation', { id: first, body: personalInformation() })
  await call('createSetupIntent', { id: first })
  await call('reopenQuote', { id: other.quoteId })
  const { quotingToolVersionId } = await recorder.peek<{ quotingToolVersionId: string }>('getQuote', {
    id: other.quoteId,
  })
  await call('sandboxExpireQuote', { id: other.quoteId, body: { quotingToolVersionId } })
  await call('cancelQuote', { id: other.quoteId })

  // Of a quote of their own, because erasing somebody also removes the stored responses of their quote.
  const [leaver = ''] = (await startQuote(recorder, addressUid)).tenantIds
  await call('finalisePersonalInformation', { id: leaver, body: personalInformation() })
  await call('createSetupIntent', { id: leaver })
  await call('eraseCustomer', { id: leaver })

  await recordEndings(recorder, addressUid)
  await call('sandboxSteerBroadband', { id: addressUid, body: { homeTelecom: { outcome: 'slow', seconds: 3 } } })
  await call('sandboxSteerProcessorWebhooks', { body: { delaySeconds: 2 } })
  await call('sandboxSteerProcessorWebhooks', { body: {} })
  await call('sandboxSteerProcessorOutage', { body: { down: true } })
  await call('sandboxSteerProcessorOutage', { body: { down: false } })
  await recordWebhooks(context, webhookId)
  await call('sandboxAdvanceClock', { body: { seconds: 3_600 } })
  await call('sandboxReadClock')
  const sold = await recordReadings(recorder, addressUid)
  await context.earn(sold)
  await recordReports(recorder)
  await listRequests(context)
}

/** Requests are listed soon after they were sent, so the list is read until it has one. */
async function listRequests({ recorder: { call, peek }, work }: JourneyContext): Promise<void> {
  const query = { operation: 'createSetupIntent', limit: '2' }
  for (let attempt = 0; work === undefined && attempt < 100; attempt++) {
    const { data } = await peek<{ data: unknown[] }>('sandboxListRequests', { query })
    if (data.length > 0) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await call('sandboxListRequests', { query })
}

/** Takes a tenant through every step to the accepted terms. */
export async function accept({ call }: Recorder, id: string, changes: object = {}): Promise<void> {
  await call('finalisePersonalInformation', { id, body: personalInformation(changes) })
  const { setupIntentId } = await call<Intent>('createSetupIntent', { id })
  await call('sandboxConfirmSetupIntent', { id: setupIntentId, body: { paymentMethod: 'pm_card_visa' } })
  await call('acceptTerms', { id })
}

/**
 * Ends one contract early, and cancels another, after somebody was asked to take it over. Their quotes were priced
 * again before.
 */
async function recordEndings(recorder: Recorder, addressUid: string): Promise<void> {
  const { call, peek } = recorder
  for (const operation of ['endContract', 'cancelContract']) {
    const { quoteId, tenantIds } = await startQuote(recorder, addressUid)
    const [id = '', ...others] = tenantIds
    await call('removeTenants', { id: quoteId, body: { tenantIds: others } })
    await call('sandboxExpireQuote', { id: quoteId })
    await call('getQuoteTotalCost', { id: quoteId })
    await accept(recorder, id)
    const { contract } = await peek<{ contract: Contract }>('getCustomer', { id })
    await call('reportConfirmationSent', {
      id: [id, contract.contractNumber],
      body: { sentAt: contract.effectiveAt },
    })
    await call('revokeLinks', { id })
    const { emails } = await call<{ emails: { createdAt: string }[] }>('listEmails', { id })
    // Whether they are sent by now depends on the job that sends them.
    const sent = emails.map((each) => ({ ...each, outcome: 'sent', endedAt: each.createdAt }))
    recorder.recording.operations.listEmails = { response: { customerId: id, emails: sent }, ids: [id] }
    await call('sandboxCollectPayment', { id, body: { outcome: 'paid' } })
    if (operation === 'endContract') {
      await call('moveStart', { id: quoteId, body: { contractStartDate: addDays(isoDate(contract.startsOn), 14) } })
      await peek('acceptTerms', { id })
    }
    const supply = { serviceId: 'electricity-standard', status: 'requested' }
    await call('sandboxSetServiceStatus', { id: quoteId, body: supply })
    const from = addDays(isoDate(contract.startsOn), 58)
    const joiner = { name: 'Robin Fields', email: 'robin.fields@example.com', from }
    await call('createReplacement', { id, body: joiner })
    await call('withdrawReplacement', { id })
    const said = { lastDay: addDays(isoDate(contract.startsOn), 149), reason: 'tenancy_ended' }
    await call('endHousehold', { id: quoteId, body: { ...said, evidence: 'tenants_notice' } })
    const comment = 'The tenant moves to another city.'
    const endDate = addDays(isoDate(contract.startsOn), 179)
    if (operation === 'endContract') {
      await call(operation, { id, body: { endDate: addDays(isoDate(contract.startsOn), 90) } })
      await call('confirmEndReason', { id, body: { isTrue: true } })
      await call('keepContract', { id })
    }
    await call(operation, { id, body: operation === 'endContract' ? { endDate, comment } : { comment } })
    await call('reportDeath', { id, body: { relationship: 'Their sister, who called us', estate: 'Kim Reed' } })
  }
}

/** Reads a meter on the first day of a contract, which is the day after it was agreed. Returns the contract's number. */
async function recordReadings(recorder: Recorder, addressUid: string): Promise<string> {
  const { call, peek } = recorder
  const { now } = await peek<{ now: string }>('sandboxReadClock')
  const contractStartDate = addDays(londonDate(new Date(now)), 1)
  const { quoteId, tenantIds } = await startQuote(recorder, addressUid, { contractStartDate })
  const [id = '', ...others] = tenantIds
  await call('removeTenants', { id: quoteId, body: { tenantIds: others } })
  await accept(recorder, id, { supplyDuringCancellation: true })
  await call('listCustomerPayments', { id })
  await peek('sandboxAdvanceClock', { body: { seconds: 86_400 } })
  await call('reportMeterReading', { id, body: { service: 'electricity', readOn: contractStartDate, reading: 4_821 } })
  await call('listMeterReadings', { id })
  const { contract } = await peek<{ contract: Contract }>('getCustomer', { id })
  return contract.contractNumber
}

/** Reads what was sold and earned, and asks about a line. */
async function recordReports({ call, peek }: Recorder): Promise<void> {
  await call('readSettings')
  await call('updateSettings', { body: { senderName: 'Riverside Lettings' } })
  await call('readSales')
  const { now } = await peek<{ now: string }>('sandboxReadClock')
  const query = { month: londonDate(new Date(now)).slice(0, 7) }
  const { data } = await call<{ data: { lineId: string }[] }>('readCommissionStatement', { query })
  const text = 'The branch in Norwich sold this home. Why is there no branch?'
  await call('queryCommissionLine', { id: data.at(-1)?.lineId ?? '', body: { text } })
}

async function recordWebhooks(context: JourneyContext, webhookId: string): Promise<void> {
  const { receiverUrl = unreachable } = context
  const { call, peek } = context.recorder
  await settle(context, webhookId)
  const test = await call<{ deliveryId: string }>('sendTestEvent', {
    id: webhookId,
    body: { type: 'quote.status.changed' },
  })
  await settle(context, webhookId)
  await call('getDelivery', { id: test.deliveryId })
  await call('redeliver', { id: test.deliveryId })
  await call('sendVerification', { id: webhookId })
  await settle(context, webhookId)
  await call('getWebhook', { id: webhookId })
  await call('listWebhooks')
  await call('listDeliveries', { id: webhookId, query: { status: 'delivered', limit: '2' } })
  const { data } = await call<{ data: { id: string; timestamp: string }[] }>('listEvents', { query: { limit: '3' } })
  const [event = { id: '', timestamp: '' }] = data
  await call('getEvent', { id: event.id })
  await call('listEventDeliveries', { id: event.id })
  const replay = await call<{ replayId: string }>('replayWebhook', {
    id: webhookId,
    body: { since: event.timestamp },
  })
  await context.work?.()
  for (let attempt = 0; context.work === undefined && attempt < 100; attempt++) {
    const { status } = await peek<{ status: string }>('getReplay', { id: replay.replayId })
    if (status !== 'running') break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await call('getReplay', { id: replay.replayId })
  await call('rotateWebhookSecret', { id: webhookId })
  await call('sandboxAdvanceDeliveries', { id: webhookId, body: { seconds: 300 } })
  // Last, because the new URL is verified at its own pace.
  await call('updateWebhook', { id: webhookId, body: { url: `${receiverUrl}/v2` } })
  await call('deleteWebhook', { id: webhookId })
}

/** Waits until every event was sent to the webhook. */
async function settle({ recorder: { peek }, work }: JourneyContext, webhookId: string): Promise<void> {
  if (work !== undefined) return work()
  for (let attempt = 0; attempt < 600; attempt++) {
    const events = await peek<{ data: unknown[] }>('listEvents', { query: { limit: '100' } })
    const sent = await peek<{ data: { status: string; eventType: string; quoteId: string | null }[] }>(
      'listDeliveries',
      {
        id: webhookId,
        query: { limit: '100' },
      },
    )
    const ofEvents = sent.data.filter(({ quoteId }) => quoteId !== null)
    if (ofEvents.length === events.data.length && sent.data.every(({ status }) => status === 'delivered')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the events were not delivered within 30 seconds')
}
