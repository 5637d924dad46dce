import { randomUUID } from 'node:crypto'
import type {
  AcceptTermsRequest,
  CustomerCost,
  CustomerPaymentSchedule,
  HousebillClient,
  NewTenant,
  PersonalInformationRequest,
  QuoteCost,
} from '../../clients/typescript/src/entry.ts'
import type { TenancyStore, TenancyTenant } from './tenancy-store.ts'

/**
 * The contract as the tenant would agree to it now: where to read it, what proves that it is this one, and its
 * payments.
 */
interface Offer {
  previewUrl: string
  documentHash: string
  payments: CustomerPaymentSchedule['paymentSchedule']['payments']
}

/** Every call to Housebill that the application makes, one method for each step of the flow. */
export class BillSales {
  readonly store: TenancyStore
  readonly #client: HousebillClient

  constructor(client: HousebillClient, store: TenancyStore) {
    this.#client = client
    this.store = store
  }

  findAddresses(postcode: string) {
    return this.#client.lookupAddresses({ postcode })
  }

  /** Quotes electricity and gas for a tenancy. Every tenant gets a link of their own. Returns the tenancy's id. */
  async quoteTenancy(addressUid: string, people: readonly NewTenant[]): Promise<string> {
    const tenancyId = randomUUID()
    const { quoteId, address } = await this.#client.createQuote({
      addressUid,
      packages: ['electricity', 'gas'],
      reference: tenancyId,
    })
    const { tenants } = await this.#client.addTenants(quoteId, { tenants: people })
    const added = tenants.map(({ tenantId, name, email, status }) => ({
      linkToken: randomUUID(),
      tenancyId,
      customerId: tenantId,
      name,
      email,
      status,
      paymentStatus: 'not_started',
      contract: null,
    }))
    this.store.add({ tenancyId, quoteId, address: `${address.addressLine1}, ${address.city}` }, added)
    return tenancyId
  }

  /** What the household pays, priced again if the quote has expired. */
  readHouseholdCost(tenancyId: string): Promise<QuoteCost> {
    return this.#client.getQuoteTotalCost(this.store.tenancy(tenancyId).quoteId)
  }

  readShare({ customerId }: TenancyTenant): Promise<CustomerCost> {
    return this.#client.getCustomerTotalCost(customerId)
  }

  async giveDetails({ customerId }: TenancyTenant, details: PersonalInformationRequest): Promise<void> {
    await this.#client.finalisePersonalInformation(customerId, details)
    await this.refresh(customerId)
  }

  /** The draft of the contract, which the tenant reads before they accept it. */
  async readOffer({ customerId }: TenancyTenant): Promise<Offer> {
    const { paymentSchedule } = await this.#client.getPaymentSchedules(customerId)
    const { previewUrl, documentHash } = await this.#client.getPciPreviewUrlHtml(customerId)
    return { previewUrl, documentHash, payments: paymentSchedule.payments }
  }

  /**
   * The path of the sandbox's card page, which leads back to `returnUrl`. In live, put the processor's card form into a
   * page of yours.
   */
  async startCard({ customerId }: TenancyTenant, returnUrl: string): Promise<string> {
    const { setupIntentId, clientSecret } = await this.#client.createSetupIntent(customerId)
    await this.refresh(customerId)
    const fragment = new URLSearchParams({ client_secret: clientSecret, return_url: returnUrl })
    return `/sandbox/card-setup/${setupIntentId}#${fragment}`
  }

  /** Accepts exactly the contract that the tenant has read. If it has changed since, Housebill rejects the call. */
  async accept({ customerId }: TenancyTenant, terms: AcceptTermsRequest): Promise<void> {
    await this.#client.acceptTerms(customerId, terms)
    await this.refresh(customerId)
  }

  async contractUrl({ customerId }: TenancyTenant): Promise<string> {
    return (await this.#client.getPciContractUrlHtml(customerId)).contractUrl
  }

  /** Stores what Housebill says about a customer now. Does nothing for one who is not ours. */
  async refresh(customerId: string): Promise<void> {
    const { status, paymentStatus, contract } = await this.#client.getCustomer(customerId)
    this.store.setStatus(customerId, status, paymentStatus, contract?.status ?? null)
  }

  /** Reads every tenant again, because messages may have been missed while the application was down. */
  async refreshAll(): Promise<void> {
    for (const { tenancyId } of this.store.tenancies())
      for (const { customerId } of this.store.tenants(tenancyId)) await this.refresh(customerId)
  }
}
