import type { HousebillClient } from '../../../clients/typescript/src/entry.ts'
import type { EventData, EventType } from '../../domain/events/event.ts'
import { CommandError } from '../../kernel/command-error.ts'
import { addDays, isoDate } from '../../kernel/dates.ts'

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
    cause: confirmCard,
    says: { paymentStatus: 'ready' },
  },
  'customer.status.changed': {
    how: 'create a quote, add a tenant, send their details',
    cause: sendDetails,
    says: { status: 'PersonalInfoComplete' },
  },
  'customer.contract.changed': {
    how: 'take a tenant through every step, accept the terms',
    cause: acceptTerms,
    says: { status: 'in_force' },
  },
  'customer.contract.ending': {
    how: 'take a tenant through every step, accept the terms, end the contract a day early',
    async cause(client, postcode) {
      const household = await acceptTerms(client, postcode)
      await client.endContract(household.customerId, { endDate: addDays(isoDate(household.contractEndDate), -1) })
      return household
    },
    says: {},
  },
  'customer.service.changed': {
    how: 'take a tenant through every step, accept the terms, report that supply is requested',
    async cause(client, postcode) {
      const household = await acceptTerms(client, postcode)
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

const person = { firstName: 'Amara', lastName: 'Okafor', email: 'trigger@example.com' }

async function addTenant(client: HousebillClient, postcode: string): Promise<SampleHousehold> {
  const addresses = await client.lookupAddresses({ postcode })
  const { addressUid } = addresses.find(({ mpan, mprn }) => mpan !== null && mprn !== null) ?? addresses[0] ?? {}
  if (addressUid === undefined)
    throw new CommandError('no_property', `${postcode} has no property. Choose another postcode with --postcode.`)
  const { quoteId, contractEndDate, availablePackages } = await client.createQuote({
    addressUid,
    reference: 'housebill trigger',
  })
  const packageIds = availablePackages
    .filter(({ isDefault, type }) => isDefault && type !== 'broadband')
    .map(({ packageId }) => packageId)
  await client.addPackages(quoteId, { packageIds })
  const { tenants } = await client.addTenants(quoteId, {
    tenants: [{ name: `${person.firstName} ${person.lastName}`, email: person.email }],
  })
  return { quoteId, customerId: tenants[0]?.tenantId ?? '', contractEndDate }
}

async function sendDetails(client: HousebillClient, postcode: string): Promise<SampleHousehold> {
  const household = await addTenant(client, postcode)
  const details = { ...person, phone: '07700 900101', dateOfBirth: '1996-01-15' }
  await client.finalisePersonalInformation(household.customerId, details)
  return household
}

async function confirmCard(client: HousebillClient, postcode: string): Promise<SampleHousehold> {
  const household = await sendDetails(client, postcode)
  const { setupIntentId } = await client.createSetupIntent(household.customerId)
  await client.sandboxConfirmSetupIntent(setupIntentId, { paymentMethod: 'pm_card_visa' })
  return household
}

async function acceptTerms(client: HousebillClient, postcode: string): Promise<SampleHousehold> {
  const household = await confirmCard(client, postcode)
  await client.acceptTerms(household.customerId)
  return household
}
