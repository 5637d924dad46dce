import { setTimeout as sleep } from 'node:timers/promises'
import { type Event, type HousebillClient, isApiError } from '../../../clients/typescript/src/entry.ts'
import {
  type CustomerStage,
  inventDetails,
  onboardCustomer,
  startHousehold,
} from '../../../clients/typescript/src/sandbox-household.ts'
import type { EventData, EventType } from '../../events/event.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { addDays, isoDate } from '../../platform/kernel/dates.ts'
import { coloured, type JsonOption, print, printJson } from '../print.ts'
import type { PartnerAccess } from './access-options.ts'
import { withClient } from './listen-action.ts'

/** An invented household of one, as far as it has come. */
interface SampleHousehold {
  quoteId: string
  customerId: string
  /** YYYY-MM-DD. */
  contractEndDate: string
}

/** How a partner's program makes an event happen in a sandbox. */
interface Trigger<Data> {
  /** What is done, as a list of steps. */
  how: string
  /** Does it, with a property at this postcode. Throws what the client throws, and CommandError. */
  cause: (client: HousebillClient, postcode: string) => Promise<SampleHousehold>
  /** What the event says that is meant, because the same steps cause others of its type. */
  says: Partial<Data>
}

/** A row for each event type. */
export const triggers: { readonly [Type in EventType]: Trigger<EventData[Type]> } = {
  'quote.status.changed': {
    how: 'create a quote, add a tenant',
    cause: addTenant,
    says: { status: 'TenantsAdded' },
  },
  'customer.payment.updated': {
    how: 'create a quote, add a tenant, send their details, confirm a test card',
    cause: onboardTo('card'),
    says: { paymentStatus: 'ready' },
  },
  'customer.status.changed': {
    how: 'create a quote, add a tenant, send their details',
    cause: onboardTo('details'),
    says: { status: 'PersonalInfoComplete' },
  },
  'customer.contract.changed': {
    how: 'take a tenant through every step, accept the terms',
    cause: onboardTo('contract'),
    says: { status: 'in_force' },
  },
  'customer.contract.ending': {
    how: 'take a tenant through every step, accept the terms, end the contract a day early',
    async cause(client, postcode) {
      const household = await onboardTo('contract')(client, postcode)
      await client.endContract(household.customerId, { endDate: addDays(isoDate(household.contractEndDate), -1) })
      return household
    },
    says: {},
  },
  'customer.service.changed': {
    how: 'take a tenant through every step, accept the terms, report that supply is requested',
    async cause(client, postcode) {
      const household = await onboardTo('contract')(client, postcode)
      const [service] = (await client.getCustomer(household.customerId)).services
      if (service === undefined) throw new Error('the customer has no service')
      await client.sandboxSetServiceStatus(household.quoteId, { serviceId: service.serviceId, status: 'requested' })
      return household
    },
    says: { status: 'requested' },
  },
  'quote.prices.updated': {
    how: 'create a quote, add a tenant, let the quote expire with another rate card, read its total cost',
    async cause(client, postcode) {
      const household = await addTenant(client, postcode)
      const { quotingToolVersionId } = await client.getQuote(household.quoteId)
      const { versions } = await client.listQuotingToolVersions()
      const other = versions.find(({ id }) => id !== quotingToolVersionId)?.id ?? quotingToolVersionId
      await client.sandboxExpireQuote(household.quoteId, { quotingToolVersionId: other })
      await client.getQuoteTotalCost(household.quoteId)
      return household
    },
    says: {},
  },
}

const tenant = { name: 'Amara Okafor', email: 'trigger@example.com' }

async function addTenant(client: HousebillClient, postcode: string): Promise<SampleHousehold> {
  if ((await client.lookupAddresses({ postcode })).length === 0)
    throw new CommandError('no_property', `${postcode} has no property. Choose another postcode with --postcode.`)
  const { quoteId, customerIds, quote } = await startHousehold(client, {
    postcode,
    tenants: [tenant],
    reference: 'housebill trigger',
  })
  return { quoteId, customerId: customerIds[0] ?? '', contractEndDate: quote.contractEndDate }
}

function onboardTo(stage: CustomerStage): Trigger<unknown>['cause'] {
  return async (client, postcode) => {
    const household = await addTenant(client, postcode)
    await onboardCustomer(client, household.customerId, stage, inventDetails(tenant))
    return household
  }
}

/** The command `trigger`: makes an event happen, and prints it as the API lists it. */
export async function triggerEvent(
  type: EventType,
  { postcode, json, ...access }: PartnerAccess & JsonOption & { postcode: string },
): Promise<void> {
  const { how, cause, says } = triggers[type] as Trigger<object>
  const event = await withClient(access, async (client) => {
    await requireSandbox(client)
    const { quoteId } = await cause(client, postcode)
    return readEvent(client, { type, quoteId }, says)
  })
  if (json) printJson({ event })
  else print(`${coloured('quiet', `Done: ${how}.`)}\n${JSON.stringify(event, null, 2)}`)
}

/** Elsewhere, the quotes and contracts would be real ones. */
async function requireSandbox(client: HousebillClient): Promise<void> {
  await client.sandboxReadClock().catch((error: unknown) => {
    if (!isApiError(error, 'not_found')) throw error
    throw new CommandError('not_a_sandbox', 'This deployment is not a sandbox, so nothing is triggered in it.')
  })
}

const betweenReadsMs = 250
const readsAtMost = 120

/** Reads the event once it is listed, about a second after it happened. */
async function readEvent(
  client: HousebillClient,
  about: { type: EventType; quoteId: string },
  says: object,
): Promise<Event> {
  for (let reads = 0; reads < readsAtMost; reads += 1) {
    const { data } = await client.listEvents({ ...about, order: 'oldest' })
    const found = data.find((event) => isPartOf(says, event.data))
    if (found !== undefined) return found
    await sleep(betweenReadsMs)
  }
  throw new CommandError(
    'event_not_listed',
    `The event of ${about.quoteId} was not listed within 30 seconds. Check the log of the service.`,
  )
}

function isPartOf(some: object, all: object): boolean {
  const members = new Map<string, unknown>(Object.entries(all))
  return Object.entries(some).every(([name, value]) => members.get(name) === value)
}
