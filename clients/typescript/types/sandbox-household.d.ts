import type { ConfirmSetupIntentRequest, CreatedQuote, CreateQuoteRequest, NewTenant, PersonalInformationRequest } from './api-types.js';
import type { Operations } from './operations.js';
/** What to quote, and for whom. Everything has a default. */
export interface SandboxHousehold extends Omit<CreateQuoteRequest, 'addressUid'> {
    /** Defaults to the first property at the postcode. */
    addressUid?: string;
    /** A postcode with sample properties. Defaults to `NR4 7TJ`. */
    postcode?: string;
    /** From 1 to 12, or who they are. Defaults to 2. */
    tenants?: number | readonly NewTenant[];
    /** Broadband products to add after the availability check. Defaults to none. */
    broadbandProducts?: readonly string[];
}
/** The ids of a household. */
export interface SignedUpHousehold {
    quoteId: string;
    /** The lead tenant's first. */
    customerIds: readonly string[];
}
export interface StartedHousehold extends SignedUpHousehold {
    addressUid: string;
    quote: CreatedQuote;
    /** As they were added. */
    tenants: readonly NewTenant[];
}
/**
 * Takes an invented household in a sandbox from an address to contracts in force, for tests of what follows: contracts,
 * payments, replacements. Throws what the methods of the client throw.
 */
export declare function signUpSandboxHousehold(client: Operations, household?: SandboxHousehold): Promise<SignedUpHousehold>;
/**
 * The steps of the whole household: the quote with its packages, the tenants and broadband. Its customers can then
 * onboard.
 */
export declare function startHousehold(client: Operations, household?: SandboxHousehold): Promise<StartedHousehold>;
/** How far a customer's onboarding has come. */
export type CustomerStage = 'details' | 'card' | 'contract';
/** Takes a customer through the steps up to a stage. */
export declare function onboardCustomer(client: Operations, customerId: string, upTo: CustomerStage, details: PersonalInformationRequest): Promise<void>;
/** Confirms the customer's setup intent with a test card. Creates the intent if there is none. Returns its id. */
export declare function attachCard(client: Operations, customerId: string, paymentMethod?: ConfirmSetupIntentRequest['paymentMethod']): Promise<string>;
/** Valid details of a tenant. */
export declare function inventDetails({ name, email }: NewTenant): PersonalInformationRequest;
/** Up to twelve people. RFC 2606 reserves their email domain, and Ofcom the phone number of their details for drama. */
export declare function inventTenants(count: number): NewTenant[];
