import type { PersonalInformationRequest } from './api-types.ts'
import type { HousebillClient } from './housebill-client.ts'

/** What to sign up. */
export interface SandboxHousehold {
  /** A postcode with sample properties. Defaults to `NR4 7TJ`. */
  postcode?: string
  /** From 1 to 12. Defaults to 2. */
  tenants?: number
  /** Your own id for the quote. */
  reference?: string
}

/** The ids of a household whose contracts are in force. */
export interface SignedUpHousehold {
  quoteId: string
  /** The lead tenant's first. */
  customerIds: readonly string[]
}

/**
 * Takes an invented household in a sandbox from an address to contracts in force, for tests of what follows: contracts, payments,
 * replacements. Throws what the methods of the client throw.
 */
export async function signUpSandboxHousehold(
  client: HousebillClient,
  { postcode = 'NR4 7TJ', tenants = 2, reference }: SandboxHousehold = {},
): Promise<SignedUpHousehold> {
  const [address] = await client.lookupAddresses({ postcode })
  if (address === undefined) throw new Error(`${postcode} has no sample property`)
  const people = Array.from({ length: tenants }, (_, index) => inventPerson(index + 1))
  const { quoteId } = await client.createQuote({
    addressUid: address.addressUid,
    packages: ['electricity', 'gas'],
    reference,
  })
  const added = await client.addTenants(quoteId, {
    tenants: people.map(({ firstName, lastName, email }) => ({ name: `${firstName} ${lastName}`, email })),
  })
  const customerIds = added.tenants.map(({ tenantId }) => tenantId)
  for (const [index, customerId] of customerIds.entries()) {
    await client.finalisePersonalInformation(customerId, inventPerson(index + 1))
    const { setupIntentId } = await client.createSetupIntent(customerId)
    await client.sandboxConfirmSetupIntent(setupIntentId, { paymentMethod: 'pm_card_visa' })
    await client.acceptTerms(customerId)
  }
  return { quoteId, customerIds }
}

function inventPerson(number: number): PersonalInformationRequest {
  return {
    firstName: 'Sample',
    lastName: `Tenant ${number}`,
    email: `tenant-${number}@example.com`,
    phone: '07700 900123',
    dateOfBirth: '1995-12-10',
  }
}
