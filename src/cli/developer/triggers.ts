import type { HousebillClient } from '../../../clients/typescript/src/entry.ts'
import {
  type CustomerStage,
  inventDetails,
  onboardCustomer,
  startHousehold,
} from '../../../clients/typescript/src/sandbox-household.ts'
import type { EventData, EventType } from '../../events/event.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { addDays, isoDate } from '../../platform/kernel/dates.ts'

/** An invented household of one, as far as it has come. */
interface SampleHousehold {
  quoteId: string
  customerId: string
  /** YYYY-MM-DD. */
  contractEndDate: string
}

/** How a partner's program makes an event happen in a sandbox. */
export interface Trigger<Data> {
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
    how: 'create a quote, add a tenant, raise prices by 25 %, let the quote expire, read its total cost, lower prices by 20 % again',
    async cause(client, postcode) {
      const household = await addTenant(client, postcode)
      await client.sandboxChangePrices({ percent: 25 })
      try {
        await client.sandboxExpireQuote(household.quoteId)
        await client.getQuoteTotalCost(household.quoteId)
      } finally {
        // A fifth less than 125 % is exactly what it was, however rates are rounded.
        await client.sandboxChangePrices({ percent: -20 })
      }
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
