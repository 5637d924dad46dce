import type { Call } from '../../clients/typescript/src/call.ts'
import { Operations } from '../../clients/typescript/src/operations.ts'
import {
  attachCard,
  inventDetails,
  onboardCustomer,
  startHousehold,
} from '../../clients/typescript/src/sandbox-household.ts'
import { sampleTenants } from '../support/household.ts'
import type { PersistentPartner } from './persistent-partner.ts'

/**
 * How a household's journey ends. Most are completed, some are cancelled, and some are locked, reopened and then
 * completed. Of some, one tenant leaves.
 */
type Ending = 'completed' | 'cancelled'

export interface Journey {
  quoteId: string
  tenants: number
  ending: Ending
}

/** Sends each write with a key until it is acknowledged, in so many simultaneous copies. */
type JourneyPartner = Pick<PersistentPartner, 'post'>

/** Each write has a key and is repeated until it is acknowledged. Every fifth is sent as two simultaneous copies. */
class PersistentOperations extends Operations {
  readonly #partner: JourneyPartner
  readonly #number: number
  #requests = 0

  constructor(partner: JourneyPartner, number: number) {
    super()
    this.#partner = partner
    this.#number = number
  }

  protected async send<Response>({ path, body }: Call): Promise<Response> {
    this.#requests += 1
    const key = `crash-${this.#number}-${this.#requests}`
    const copies = (this.#number + this.#requests) % 5 === 0 ? 2 : 1
    // Safe: the response was checked against the schema that the client's types are made from.
    return (await this.#partner.post(key, path.replace('/partner-api', ''), body, copies)) as Response
  }
}

/** Makes all writes of a journey. */
export async function goThroughJourney(partner: JourneyPartner, addressUid: string, number: number): Promise<Journey> {
  const client = new PersistentOperations(partner, number)
  const tenants = sampleTenants(1 + (number % 3))
  const { quoteId, customerIds } = await startHousehold(client, {
    addressUid,
    packages: ['electricity'],
    reference: `crash-${number}`,
    tenants,
  })
  await client.updatePackages(quoteId, { packageIds: ['electricity-standard', 'gas-standard'] })
  if (number % 4 === 3) {
    await client.cancelQuote(quoteId)
    return { quoteId, tenants: tenants.length, ending: 'cancelled' }
  }
  for (const [index, tenant] of tenants.entries())
    await onboardCustomer(client, customerIds[index] ?? '', 'details', inventDetails(tenant))
  const [lead = ''] = customerIds
  if (number % 4 === 1) {
    await client.createSetupIntent(lead)
    await client.reopenQuote(quoteId)
  }
  for (const id of customerIds) {
    await attachCard(client, id)
    await client.acceptTerms(id)
  }
  if (number % 4 === 2) await client.cancelContract(lead)
  return { quoteId, tenants: tenants.length, ending: 'completed' }
}
