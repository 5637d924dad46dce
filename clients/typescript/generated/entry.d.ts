import type { AcceptTermsRequest, AcceptedTerms, AddBroadbandProductsRequest, AddPackagesRequest, AddTenantsRequest, Address, AddressMatches, AdvanceClockRequest, AdvanceDeliveriesRequest, AuthenticateSetupIntentRequest, AuthorizationServerMetadata, BroadbandAvailability, BroadbandAvailabilityRequest, BroadbandAvailabilityUid, CancelContractQuery, CancelContractRequest, CheckedEndReason, CollectPaymentRequest, CollectedPayment, CommissionLine, ConfirmEndReasonRequest, ConfirmSetupIntentRequest, Contract, ContractLink, CreateHouseholdQuery, CreateHouseholdRequest, CreateImportRequest, CreateQuoteRequest, CreateReplacementQuery, CreateReplacementRequest, CreateSetupIntentRequest, CreateWebhookRequest, CreatedHousehold, CreatedQuote, CreatedWebhook, Customer, CustomerContracts, CustomerCost, CustomerEmails, CustomerExport, CustomerPaymentSchedule, CustomerPayments, CustomerSummary, DeletedWebhook, Delivery, DeliveryWithAttempts, EndContractQuery, EndContractRequest, EndHouseholdQuery, EndHouseholdRequest, EndedContract, ErasedCustomer, ErrorCode, EstimateQuoteQuery, Event, EventDeliveries, ExpireQuoteRequest, FinalisedPersonalInformation, GetImportQuery, GetPciContractUrlHtmlQuery, GetPciContractUrlPdfQuery, GetQuoteQuery, HouseholdEnd, Import, ImportRow, ImportSummary, InstallDates, InvalidField, JsonWebKeySet, KeepContractQuery, ListCustomersQuery, ListDeliveriesQuery, ListEventsQuery, ListImportsQuery, ListQuotesQuery, ListWebhooksQuery, LookupAddressesQuery, MatchAddressesRequest, MeterReadings, MoveStartQuery, MoveStartRequest, MovedStart, NewTenant, OAuthTokenRequest, Occupiers, OnboardingLink, PersonalInformationRequest, PreviewLink, Problem, PsrCategoryList, QueryCommissionLineRequest, QueuedMessage, Quote, QuoteBroadbandProducts, QuoteCost, QuoteEstimate, QuoteInstallDate, QuoteOutline, QuotePackages, QuoteSummary, QuoteTenants, QuotingToolVersionList, ReadCommissionStatementQuery, ReadSalesQuery, RemoveTenantsRequest, Replacement, Replay, ReplayRequest, ReportConfirmationSentRequest, ReportDeathRequest, ReportMeterReadingRequest, ReportedDeath, ReportedMeterReading, Revocation, RevocationRequest, RevokedLinks, RevokedOnboardingLinks, RotatedWebhookSecret, Sales, SamplePostcodeList, SandboxClock, SandboxListRequestsQuery, SandboxRequest, SelectInstallDateRequest, ServiceStatusOfQuote, SetServiceStatusRequest, Settings, SetupIntent, SetupIntentOutcome, SimulateBroadbandRequest, SimulateOutageRequest, SimulateProcessorWebhooksRequest, SimulatedBroadband, SimulatedOutage, SimulatedProcessorWebhooks, TestEventRequest, Token, TokenError, TokenErrorCode, TokenRequest, UpdateCustomerRequest, UpdateImportRequest, UpdateOccupiersRequest, UpdatePackagesRequest, UpdateQuoteRequest, UpdateSettingsRequest, UpdateWebhookRequest, UpdatedQuotePackages, Webhook, WebhookMessage, WithdrawnReplacement } from './api-types.js';
export type * from './api-types.js';
export type { CallOptions };
export { ApiError, ConnectionError, HousebillError, isApiError, TokenRefusedError };
export { type Credentials, HousebillClient, type HousebillClientOptions };
export type { Page, Paged };
export type { RetryPolicy };
export { type SandboxHousehold, type SignedUpHousehold, signUpSandboxHousehold };
export type { IssuedToken };
export { InvalidWebhookError, type VerifyOptions, verifyWebhook, type WebhookHeaders };
/** One call of an operation, before the token and the headers are added. */
interface Call {
    operationId: string;
    method: string;
    /** The path from the root of the server, with its ids. */
    path: string;
    /** Members that are undefined are not sent. */
    query?: Readonly<Record<string, string | number | boolean | undefined>>;
    /** Sent as JSON; undefined sends no body. */
    body?: unknown;
    /** The operation accepts an Idempotency-Key. */
    takesKey?: true;
    /** The operation needs no token. */
    isPublic?: true;
}
/** What you can set for a single call. */
interface CallOptions {
    /**
     * The `Idempotency-Key` of a POST. Without it, every call gets a key of its own, which its retries share. Set your
     * own, such as the id of your order, if your program may repeat the call after a restart.
     */
    idempotencyKey?: string;
    /**
     * The `Housebill-Test-Error` header of the first attempt, such as `service_unavailable; when=after`. Only sandboxes
     * obey it. The client's own retries are sent without it.
     */
    testError?: string;
    /** Ends the call, and any wait before a retry. The method then throws the signal's reason. */
    signal?: AbortSignal;
}
/** An id as a part of a path. Throws TypeError for one that would lead to another path. */
declare function segment(id: string): string;
/** What every error of a call has in common. */
declare class HousebillError extends Error {
    name: string;
    /** The operation that was called. */
    readonly operationId: string;
    /** The HTTP status; undefined if there was no response. */
    readonly status: number | undefined;
    /** The response's `Retry-After` in seconds; undefined if it had none. */
    readonly retryAfterSeconds: number | undefined;
    constructor(message: string, about: ErrorOrigin, cause?: unknown);
}
/** Where an error comes from. */
interface ErrorOrigin {
    operationId: string;
    status?: number | undefined;
    retryAfterSeconds?: number | undefined;
}
/** Housebill refused the call, and says why: see `code`, and the page at `type`. */
declare class ApiError<Code extends ErrorCode = ErrorCode> extends HousebillError {
    name: string;
    readonly code: Code;
    /** A summary, the same for every error with this code. */
    readonly title: string;
    /** What went wrong and how to fix it. */
    readonly detail: string;
    /** A URL that opens the documentation of this error. */
    readonly type: string;
    /** Name this id when you ask the operator about the error. */
    readonly requestId: string;
    /** Every invalid field of the request. */
    readonly errors: readonly InvalidField[];
    constructor(problem: Problem & {
        code: Code;
    }, about: ErrorOrigin);
}
/** The server issued or revoked no token. */
declare class TokenRefusedError extends HousebillError {
    name: string;
    readonly code: TokenErrorCode;
    constructor({ error, error_description }: TokenError, about: ErrorOrigin);
}
/**
 * There was no response, or one that is not Housebill's, such as the error page of a proxy. A change may have been made
 * or not.
 */
declare class ConnectionError extends HousebillError {
    name: string;
}
/**
 * Whether Housebill refused a call for one of these reasons; without codes, for any reason.
 *
 *     if (isApiError(error, 'quote_expired')) await client.getQuoteTotalCost(quoteId)
 */
declare function isApiError<Code extends ErrorCode = ErrorCode>(error: unknown, ...codes: readonly Code[]): error is ApiError<Code>;
/** Where and how requests are sent. */
interface Transport {
    /** Without a slash at the end. */
    baseUrl: string;
    fetch: typeof fetch;
    timeoutMs: number;
    userAgent: string;
}
/** The body of a successful response, or why there is none. */
type Outcome = {
    body: unknown;
} | {
    error: HousebillError;
};
/** Sends a call once. Throws only the reason of the caller's own signal. */
declare function exchange({ baseUrl, fetch, timeoutMs, userAgent }: Transport, call: Call, headers: Readonly<Record<string, string>>, { signal }: CallOptions): Promise<Outcome>;
/** The part of a URL after its path: empty without members. */
declare function searchOf(query?: NonNullable<Call['query']>): string;
/**
 * How the client gets its tokens: with your credentials, or from a function of yours, such as one that signs with a
 * private key.
 */
type Credentials = {
    clientId: string;
    clientSecret: string;
    fetchToken?: undefined;
} | {
    fetchToken: () => Promise<IssuedToken>;
    clientId?: undefined;
    clientSecret?: undefined;
};
type HousebillClientOptions = Credentials & {
    /** The server, such as `https://bills.example`. */
    baseUrl: string;
    /** How long one attempt may take, in milliseconds. Defaults to 60,000. */
    timeoutMs?: number;
    /** What to change about the retries. */
    retry?: Partial<RetryPolicy>;
    /** Replaces the global `fetch`, for a proxy or a test. */
    fetch?: typeof fetch;
    /** Replaces the pause before a retry, for a test. */
    pause?: (milliseconds: number) => Promise<void>;
};
/**
 * Calls the partner API of a Housebill server. One client is enough for a program: it fetches one token for all calls.
 *
 * Methods return the body of the response and throw ApiError, TokenRefusedError or ConnectionError. Responses with 429
 * or 5xx and lost connections are retried first.
 */
declare class HousebillClient extends Operations {
    #private;
    /** Throws TypeError for a wrong `baseUrl`, and in a browser if it is given a secret, which visitors could read. */
    constructor(options: HousebillClientOptions);
    protected send<Response>(call: Call, options: CallOptions): Promise<Response>;
}
/** The version of the API document from which this was generated. */
declare const documentVersion = "0.1.0";
/** A method for each operation of the partner API, under the operation's name. */
declare abstract class Operations {
    /** Sends a call and returns the body of the successful response. */
    protected abstract send<Response>(call: Call, options: CallOptions): Promise<Response>;
    /**
     * Get an access token. Reuse the token until it expires. Every error has the body `{error, error_description}`.
     * Unknown parameters are ignored.
     */
    issueToken(body: TokenRequest, options?: CallOptions): Promise<Token>;
    /**
     * Get an access token from the embedded identity provider. Reuse the token until it expires. Every error has the
     * body `{error, error_description}`. Unknown parameters are ignored.
     */
    issueTokenAsProvider(body: OAuthTokenRequest, options?: CallOptions): Promise<Token>;
    /**
     * Revoke an access token. Ends a token before it expires (RFC 7009). Every process rejects it within two seconds.
     * Only the client that got a token can revoke it. Every error has the body `{error, error_description}`. Unknown
     * parameters are ignored.
     */
    revokeToken(body: RevocationRequest, options?: CallOptions): Promise<Revocation>;
    /** Get the public signing keys. Returns a JSON Web Key Set (RFC 7517). You can cache it for five minutes. */
    getSigningKeys(options?: CallOptions): Promise<JsonWebKeySet>;
    /**
     * Get the identity provider's metadata. Returns authorization server metadata (RFC 8414). You can cache it for
     * five minutes.
     */
    getAuthorizationServerMetadata(options?: CallOptions): Promise<AuthorizationServerMetadata>;
    /**
     * Find the properties at a postcode, or the one with a UPRN. Accepts a UK postcode with any spacing and letter
     * case. Returns an empty array if the postcode is invalid, does not exist, is not served or has no properties. The
     * header `Housebill-Warning` says so if only a part of a postcode, such as its district, was sent. With `uprn` it
     * returns at most one property, and only one that is stored already. Needs the scope `addresses:read`.
     */
    lookupAddresses(query?: LookupAddressesQuery, options?: CallOptions): Promise<readonly Address[]>;
    /**
     * Find the properties of addresses as people write them. Understands flats and numbers in either order, short
     * forms and misspelt streets. A wrong end of a postcode and its first half with one digit are searched in the
     * stored properties of the sector, and are never `sure`. Each line counts as a request, and the operator limits
     * how many you have matched a day. Needs the scope `addresses:read`.
     */
    matchAddresses(body: MatchAddressesRequest, options?: CallOptions): Promise<AddressMatches>;
    /**
     * List the quoting tool versions you can use today. Each version is a published rate card. The default comes
     * first; a quote uses it unless you choose another. You can cache the list. Needs the scope `quotes:read`.
     */
    listQuotingToolVersions(options?: CallOptions): Promise<QuotingToolVersionList>;
    /**
     * Create a quote for an address. Returns the packages you can select. The status in the response is always
     * `draft`. If you send `packages`, the default package of each type is selected: `cost` shows what the household
     * pays for them, and the next GET has the status `PackagesSelected`. Needs the scope `quotes:write`. Fails with
     * `address_not_found`, `address_not_serviceable`, `quoting_tool_version_not_found`, `package_not_available`.
     */
    createQuote(body: CreateQuoteRequest, options?: CallOptions): Promise<CreatedQuote>;
    /** List your quotes, newest first. Needs the scope `quotes:read`. */
    listQuotes(query?: ListQuotesQuery, options?: CallOptions): Paged<QuoteSummary>;
    /** Get a quote. Needs the scope `quotes:read`. */
    getQuote(quoteId: string, query?: GetQuoteQuery, options?: CallOptions): Promise<Quote>;
    /**
     * Change the metadata, branch or seller of a quote, or say what you know of the household. Changes what you send.
     * Metadata, branch and `soldBy` can be replaced at any time, until everyone on the quote has been erased.
     * `householdComplete` can change while the quote is open, `tenancy` until the quote is cancelled, and `meter`
     * until everybody has signed: `registers` and `heating`, which the price depends on, only while the quote is open.
     * They price the quote again, and remove packages that the home cannot have. Repeating the request has no further
     * effect, so it does not need an Idempotency-Key. Needs the scope `quotes:write`. Fails with `quote_locked`,
     * `quote_cancelled`, `customer_erased`.
     */
    updateQuote(quoteId: string, body: UpdateQuoteRequest, options?: CallOptions): Promise<QuoteOutline>;
    /**
     * Add packages to a quote. Returns all selected packages. Adding a package that is already selected changes
     * nothing. Adding a second package of the same type is an error. Needs the scope `quotes:write`. Fails with
     * `package_not_available`, `quote_expired`, `quote_locked`, `quote_cancelled`.
     */
    addPackages(quoteId: string, body: AddPackagesRequest, options?: CallOptions): Promise<QuotePackages>;
    /**
     * Add tenants to a quote. A quote can have up to 12 tenants. The first tenant added is the lead tenant, who sets
     * the contract dates and is the primary contact. Returns all tenants of the quote. Needs the scope `quotes:write`.
     * Fails with `duplicate_tenant`, `too_many_tenants`, `quote_expired`, `quote_locked`, `quote_cancelled`.
     */
    addTenants(quoteId: string, body: AddTenantsRequest, options?: CallOptions): Promise<QuoteTenants>;
    /**
     * Replace the selected packages. Also works on an expired quote, without extending its expiry. Removing the
     * broadband package also removes its products. Needs the scope `quotes:write`. Fails with `package_not_available`,
     * `quote_locked`, `quote_cancelled`.
     */
    updatePackages(quoteId: string, body: UpdatePackagesRequest, options?: CallOptions): Promise<UpdatedQuotePackages>;
    /**
     * Add broadband products to a quote. Accepts product ids from an availability check of the address in the last 24
     * hours. A quote has one main line and at most one of each add-on; adding another main line replaces the first.
     * Add-ons need a main line. Also selects the broadband package. Returns all broadband products of the quote. Needs
     * the scope `quotes:write`. Fails with `package_not_available`, `quote_expired`, `quote_locked`,
     * `quote_cancelled`, `broadband_check_required`, `broadband_product_not_available`, `broadband_products_required`.
     */
    addBroadbandProducts(quoteId: string, body: AddBroadbandProductsRequest, options?: CallOptions): Promise<QuoteBroadbandProducts>;
    /** List the days on which broadband can be installed. Needs the scope `quotes:read`. */
    getBroadbandInstallDates(quoteId: string, options?: CallOptions): Promise<InstallDates>;
    /**
     * Get the total cost of a quote, split by tenant. If the quote is open and has expired, this call fetches new
     * prices, extends the expiry and returns `QuotePricesUpdated: true`. `lines` breaks the household's cost down by
     * product, with VAT. Needs the scope `quotes:read`. Fails with `quote_expired`, `packages_required`,
     * `tenants_required`.
     */
    getQuoteTotalCost(quoteId: string, options?: CallOptions): Promise<QuoteCost>;
    /**
     * Check which broadband products are available at an address. Queries two upstream providers in parallel, for up
     * to 10 seconds in total. If one fails, its error flag is true and the response contains the results of the other.
     * Results are stored for 24 hours; a provider that failed is queried again on the next call. Needs the scope
     * `addresses:read`.
     */
    runBroadbandAvailabilityCheck(uid: string, options?: CallOptions): Promise<BroadbandAvailability>;
    /**
     * Get a customer. A customer is a tenant of a quote. The customerId and the tenantId are the same id. Needs the
     * scope `customers:read`.
     */
    getCustomer(customerId: string, options?: CallOptions): Promise<Customer>;
    /**
     * Change a customer's name, contact details, forwarding address, PSR details or metadata. Possible at any time,
     * also after the terms are accepted. Fields you leave out keep their values. Contract documents that exist do not
     * change. Repeating the request has no further effect, so it does not need an Idempotency-Key. Needs the scope
     * `customers:write`. Fails with `duplicate_tenant`, `psr_contact_required`, `customer_erased`, `customer_removed`.
     */
    updateCustomer(customerId: string, body: UpdateCustomerRequest, options?: CallOptions): Promise<Customer>;
    /**
     * Get a customer's share of the cost. The share is equal for all tenants and matches the tenant's entry in the
     * quote's `costBreakdown`. For an expired quote, this returns the last prices. Needs the scope `customers:read`.
     */
    getCustomerTotalCost(customerId: string, options?: CallOptions): Promise<CustomerCost>;
    /**
     * Submit a customer's personal information. Required for every tenant, including tenants without Priority Services
     * Register needs. You can submit again until the terms are accepted; each submission replaces the previous one.
     * For the lead tenant, you can also send contract dates if the quote was created without them. Needs the scope
     * `customers:write`. Fails with `duplicate_tenant`, `quote_locked`, `quote_cancelled`, `customer_under_18`,
     * `psr_contact_required`, `already_onboarded`, `customer_erased`, `customer_removed`.
     */
    finalisePersonalInformation(customerId: string, body: PersonalInformationRequest, options?: CallOptions): Promise<FinalisedPersonalInformation>;
    /**
     * Get a customer's payment schedule. Payments are taken each month on the billing day, or on the next working day.
     * Until the terms are accepted, the schedule is calculated from today; after that it is final. Needs the scope
     * `customers:read`. Fails with `quote_expired`, `quote_cancelled`, `packages_required`,
     * `personal_information_required`, `customer_removed`.
     */
    getPaymentSchedules(customerId: string, options?: CallOptions): Promise<CustomerPaymentSchedule>;
    /**
     * Create a setup intent for the customer's card. Attaches a card with the payment processor; nothing is charged.
     * While an intent is open, calling again returns the same intent. The first intent of a quote makes the quote
     * `active` and locks it. With `replace`, it attaches another card, also after the terms are accepted. Needs the
     * scope `customers:write`. Fails with `quote_expired`, `quote_cancelled`, `packages_required`,
     * `broadband_products_required`, `personal_information_required`, `customer_details_refused`, `customer_erased`.
     */
    createSetupIntent(customerId: string, body?: CreateSetupIntentRequest, options?: CallOptions): Promise<SetupIntent>;
    /**
     * Accept the terms and complete onboarding. Requires a setup intent that succeeded. Creates a contract and its
     * documents; when the last tenant accepts, the contracts of the household take effect and the quote is completed.
     * Locks a quote that is open. Calling again returns the same `termsAcceptedAt`. The optional body records evidence
     * of the acceptance. Needs the scope `customers:write`. Fails with `quote_expired`, `quote_cancelled`,
     * `packages_required`, `broadband_products_required`, `payment_setup_incomplete`, `already_onboarded`,
     * `customer_erased`, `customer_removed`, `supply_request_required`, `terms_changed`, `terms_not_shown`.
     */
    acceptTerms(customerId: string, body?: AcceptTermsRequest, options?: CallOptions): Promise<AcceptedTerms>;
    /**
     * Get a link to the pre-contract information (HTML). Needs the scope `customers:read`. Fails with
     * `onboarding_incomplete`.
     */
    getPciContractUrlHtml(customerId: string, query?: GetPciContractUrlHtmlQuery, options?: CallOptions): Promise<ContractLink>;
    /**
     * Get a link to the pre-contract information (PDF). Needs the scope `customers:read`. Fails with
     * `onboarding_incomplete`.
     */
    getPciContractUrlPdf(customerId: string, query?: GetPciContractUrlPdfQuery, options?: CallOptions): Promise<ContractLink>;
    /**
     * Register a webhook. The response contains the signing secret, which is never shown again. Housebill then sends a
     * signed `webhook.verification` event with `data.challenge`; return the challenge in your response to verify the
     * webhook. Events are sent once it is verified. Needs the scope `webhooks:manage`. Fails with
     * `webhook_url_not_allowed`, `webhook_url_unreachable`, `webhook_event_unknown`, `too_many_webhooks`.
     */
    createWebhook(body: CreateWebhookRequest, options?: CallOptions): Promise<CreatedWebhook>;
    /** List your webhooks, newest first. Needs the scope `webhooks:manage`. */
    listWebhooks(query?: ListWebhooksQuery, options?: CallOptions): Paged<Webhook>;
    /** Get a webhook. Needs the scope `webhooks:manage`. */
    getWebhook(webhookId: string, options?: CallOptions): Promise<Webhook>;
    /**
     * Update a webhook's URL, events or status. Fields you leave out keep their values. If you change the URL,
     * Housebill sends it a new challenge and `verification` becomes `pending`. Enabling the webhook clears earlier
     * failures. Repeating the request has no further effect, so it does not need an Idempotency-Key. Needs the scope
     * `webhooks:manage`. Fails with `webhook_url_not_allowed`, `webhook_url_unreachable`, `webhook_event_unknown`,
     * `too_many_webhooks`.
     */
    updateWebhook(webhookId: string, body: UpdateWebhookRequest, options?: CallOptions): Promise<Webhook>;
    /**
     * Delete a webhook. Stops all deliveries to the webhook, including pending ones, and deletes its delivery history.
     * You can register another webhook in its place. A second call returns 404. Needs the scope `webhooks:manage`.
     */
    deleteWebhook(webhookId: string, options?: CallOptions): Promise<DeletedWebhook>;
    /**
     * Quote a household and invite its tenants. Does in one call what `POST /Quotes`, add-tenants,
     * add-broadband-products and a link for each tenant's pages do: all of it, or nothing. Prices and events are the
     * same. On their pages the tenants give their details, add their cards and agree to their contracts. Needs the
     * scopes `customers:onboard` and `quotes:write`. Fails with `address_not_found`, `address_not_serviceable`,
     * `quoting_tool_version_not_found`, `package_not_available`, `duplicate_reference`, `duplicate_tenant`,
     * `too_many_tenants`, `broadband_check_required`, `broadband_product_not_available`,
     * `broadband_products_required`.
     */
    createHousehold(body: CreateHouseholdRequest, query?: CreateHouseholdQuery, options?: CallOptions): Promise<CreatedHousehold>;
    /**
     * Make or end many households. Takes up to 500 rows and does them in the background, each for itself and exactly
     * once: `start` as `POST /Households`, `end` as `POST /Quotes/{id}/end-household`, with the next occupier first.
     * Each row is checked before anything is stored. A row that fails keeps none of the others. With a `reference` and
     * `onDuplicateReference: return`, the same list once more makes nothing twice. Without rows it is a draft, which
     * keeps a text of yours until you send rows. All is deleted 30 days after its last change. The body can have 1
     * MiB. Needs the scopes `customers:onboard` and `quotes:write`.
     */
    createImport(body: CreateImportRequest, options?: CallOptions): Promise<Import>;
    /** List your imports, newest first. Needs the scopes `customers:onboard` and `quotes:write`. */
    listImports(query?: ListImportsQuery, options?: CallOptions): Paged<ImportSummary>;
    /** Read how far an import is. Needs the scopes `customers:onboard` and `quotes:write`. */
    getImport(importId: string, query?: GetImportQuery, options?: CallOptions): Paged<ImportRow>;
    /**
     * Change a draft, begin its rows, or go on. Changes what you send. Rows begin at once and cannot be changed after
     * that. Needs the scopes `customers:onboard` and `quotes:write`. Fails with `import_begun`.
     */
    updateImport(importId: string, body: UpdateImportRequest, options?: CallOptions): Promise<Import>;
    /**
     * Cancel the rows of an import that have not begun. Rows that are done stay as they are. A draft loses its text.
     * Needs the scopes `customers:onboard` and `quotes:write`.
     */
    cancelImport(importId: string, options?: CallOptions): Promise<Import>;
    /**
     * Read who moves into a home, and who is responsible for it next. What you said with `PATCH
     * /Quotes/{id}/occupiers`, or the lead tenant on their pages. Needs the scope `quotes:read`.
     */
    getOccupiers(quoteId: string, options?: CallOptions): Promise<Occupiers>;
    /**
     * Say who moves into a home, and who is responsible for it next. Suppliers open and close accounts by the people
     * who move in and out. Say the day of moving in as soon as you know it, and who is responsible for the home next
     * before the household leaves; otherwise the lead tenant is asked on their pages. Each replaces what was said
     * before; what you leave out stays. It goes to the operator with the contracts, at any time, and changes no price.
     * Repeating the request has no further effect, so it does not need an Idempotency-Key. Needs the scope
     * `quotes:write`. Fails with `customer_erased`.
     */
    updateOccupiers(quoteId: string, body: UpdateOccupiersRequest, options?: CallOptions): Promise<Occupiers>;
    /**
     * Create a broadband availability request. Returns the uid to run the check with, which is valid for 24 hours. You
     * can also run the check with an addressUid directly. Needs the scope `addresses:read`. Fails with
     * `address_not_found`.
     */
    requestBroadbandAvailability(body: BroadbandAvailabilityRequest, options?: CallOptions): Promise<BroadbandAvailabilityUid>;
    /**
     * Estimate the cost of a quote for a number of tenants. Shows what the selected packages would cost with this
     * number of tenants, and the share of each, before you know any name. This call stores nothing and never fetches
     * new prices: on an expired quote it uses the last ones. On a locked quote, total-cost shows what is agreed; the
     * estimate shows what other numbers of tenants would pay. Needs the scope `quotes:read`. Fails with
     * `quote_cancelled`, `packages_required`.
     */
    estimateQuote(quoteId: string, query?: EstimateQuoteQuery, options?: CallOptions): Promise<QuoteEstimate>;
    /**
     * Remove tenants from a quote. Only possible while the quote is open. If you remove the lead tenant, the tenant
     * who joined next becomes the lead. Returns the remaining tenants. Needs the scope `quotes:write`. Fails with
     * `quote_locked`, `quote_cancelled`.
     */
    removeTenants(quoteId: string, body: RemoveTenantsRequest, options?: CallOptions): Promise<QuoteTenants>;
    /**
     * Select the day on which broadband is installed. Only possible while the quote is open and has not expired.
     * Broadband starts, and is charged from, the selected day. Call it again to choose another day. If the contract
     * later starts after that day, the earliest day applies again, and `warnings` says so. Needs the scope
     * `quotes:write`. Fails with `quote_expired`, `quote_locked`, `quote_cancelled`, `broadband_products_required`,
     * `install_date_not_available`.
     */
    selectInstallDate(quoteId: string, body: SelectInstallDateRequest, options?: CallOptions): Promise<QuoteInstallDate>;
    /**
     * Cancel a quote. Possible while the quote is open or active. Contracts that tenants have agreed to never take
     * effect (`superseded`). Also cancels the quote's open setup intents. Needs the scope `quotes:write`. Fails with
     * `quote_cancelled`, `already_onboarded`.
     */
    cancelQuote(quoteId: string, options?: CallOptions): Promise<QuoteOutline>;
    /**
     * Reopen an active quote. Possible while the quote is active. Contracts that tenants have agreed to never take
     * effect (`superseded`). Cancels open setup intents and returns the quote to its previous status, so that you can
     * change it again. Needs the scope `quotes:write`. Fails with `quote_cancelled`, `already_onboarded`.
     */
    reopenQuote(quoteId: string, options?: CallOptions): Promise<QuoteOutline>;
    /**
     * List or find your customers, newest first. Returns the customers that match every filter you send. Also returns
     * customers who were removed from their quote after they had agreed to a contract. A customer who was erased is
     * found by the quote and its reference only. Every customer on the page is recorded as read in the audit log.
     * Needs the scope `customers:read`.
     */
    listCustomers(query?: ListCustomersQuery, options?: CallOptions): Paged<CustomerSummary>;
    /** List the Priority Services Register categories. Needs the scope `customers:read`. */
    listPsrCategories(options?: CallOptions): Promise<PsrCategoryList>;
    /**
     * List a customer's contracts. A customer who agrees again after a lapse or a reopening gets a new contract. Read
     * the documents of each with its `contractNumber`. Needs the scope `customers:read`.
     */
    listContracts(customerId: string, options?: CallOptions): Promise<CustomerContracts>;
    /**
     * List the e-mails to a customer. Shows which e-mails this deployment sent to a customer and what became of each,
     * without their words. If an address refused e-mails or does not exist, correct it with PATCH /Customers/{id}, or
     * reach the customer in another way. Needs the scope `customers:read`.
     */
    listEmails(customerId: string, options?: CallOptions): Promise<CustomerEmails>;
    /**
     * List a customer's payments. Returns what the customer pays and has paid since they accepted, with fees and
     * refunds, by due date. What is no longer owed is left out. For the plan before acceptance, use `GET
     * /Customers/{id}/payment-schedules`. Needs the scope `customers:read`.
     */
    listCustomerPayments(customerId: string, options?: CallOptions): Promise<CustomerPayments>;
    /**
     * Cancel a customer's contract without a reason. Possible until the end of the 14th day after the contract took
     * effect (`cancellableUntil`), and at any time before it takes effect. The tenant pays only for supply that they
     * expressly asked for. With `dryRun=true`, the response shows what would be owed or paid back, and nothing
     * changes. Needs the scope `customers:write`. Fails with `contract_not_in_force`, `contract_not_cancellable`.
     */
    cancelContract(customerId: string, body?: CancelContractRequest, query?: CancelContractQuery, options?: CallOptions): Promise<EndedContract>;
    /**
     * End a customer's contract early. Ends a contract in force on `endDate`, with the notice and the fee of the terms
     * that the tenant agreed to. For a `reason` for which the terms waive the fee, no notice and no unpaid set-up is
     * due, and the day can lie in the past. Call it again to move a last day that you set. The contract stays
     * `in_force` until that day is over. If that day is before the first day of the contract, the contract ends at
     * once and only the fee is owed. Send `dryRun=true` first: the response shows what would be owed, and nothing
     * changes. Needs the scope `customers:write`. Fails with `contract_not_in_force`, `early_exit_not_defined`,
     * `end_date_not_allowed`.
     */
    endContract(customerId: string, body: EndContractRequest, query?: EndContractQuery, options?: CallOptions): Promise<EndedContract>;
    /**
     * Say that a household's tenancy ends. Ends nothing by itself: every tenant whose contract would go on is
     * e-mailed, and again after 7 days, whether their tenancy ends on `lastDay`. Who leaves has a contract that ends
     * on that day, or on the day that they name, without a fee. Who stays keeps theirs. Answers count until `lastDay`,
     * and for at least 14 days. Who is silent is ended only in a joint assured tenancy in England, and only if two
     * sources that do not depend on each other named the day: two tenants, a tenant and you, or one of these and the
     * home's supplier. Otherwise the contract goes on, and the operator asks. Nothing due after `lastDay` is collected
     * from who was asked until 30 days after their time to answer. Send another day to move what you said, or null to
     * take it back. The same request again changes nothing. Send `dryRun=true` first to see who would be asked. Needs
     * the scope `quotes:write`. Fails with `contract_not_in_force`, `end_date_not_allowed`.
     */
    endHousehold(quoteId: string, body: EndHouseholdRequest, query?: EndHouseholdQuery, options?: CallOptions): Promise<HouseholdEnd>;
    /**
     * Take back an early end. The contract runs to its agreed last day, and the tenant pays what they would have paid:
     * payments that were dropped come back, at least ten days ahead. Possible for who set the early end, until the
     * operator reports that supply has ended or the last day is over. With `dryRun=true`, nothing changes. Needs the
     * scope `customers:write`. Fails with `contract_not_in_force`, `end_date_not_allowed`.
     */
    keepContract(customerId: string, query?: KeepContractQuery, options?: CallOptions): Promise<EndedContract>;
    /**
     * Say whether the reason for an early end is true. For a contract that ends early, above all one whose tenant says
     * that the tenancy ends or did not start, or that nobody can live in the home. Nobody is charged or told, whatever
     * you say: if it is not true, the operator looks into it. Needs the scope `customers:write`. Fails with
     * `contract_not_in_force`, `nothing_asked`.
     */
    confirmEndReason(customerId: string, body: ConfirmEndReasonRequest, options?: CallOptions): Promise<CheckedEndReason>;
    /**
     * Move the first day of a household. Possible until the operator requested supply, also after everybody signed.
     * Contracts in force end without a fee, as if they had never begun (`tenancy_did_not_start`), and what was paid is
     * paid back; contracts that wait for others are `superseded`. The same quote is open again, priced for the new day
     * on today's rate card. Cards and personal details stay. Each tenant is e-mailed, and has to read and agree again
     * before the new prices expire. Send `dryRun=true` first: the response shows the old and the new prices, and
     * nothing changes. Needs the scope `quotes:write`. Fails with `quote_cancelled`, `packages_required`,
     * `start_not_movable`.
     */
    moveStart(quoteId: string, body: MoveStartRequest, query?: MoveStartQuery, options?: CallOptions): Promise<MovedStart>;
    /**
     * Replace a housemate. Adds a tenant who takes over the rest of this customer's share, at the agreed rates, under
     * a contract of their own. Take the tenant through the usual steps: personal details, payment schedule, card and
     * terms. Until they accept, this customer stays liable; when they accept, this customer's contract ends the day
     * before, without an exit fee. If they accept on `from` or later, they join the day after. Send `dryRun=true`
     * first: the response shows what each of the two would pay, and nothing changes. Needs the scope
     * `customers:write`. Fails with `duplicate_tenant`, `replacement_not_possible`, `replacement_open`.
     */
    createReplacement(customerId: string, body: CreateReplacementRequest, query?: CreateReplacementQuery, options?: CallOptions): Promise<Replacement>;
    /**
     * Withdraw a replacement that is not accepted. Removes the tenant who was to take over this customer's share, with
     * their data. Possible until they accept; then they can cancel their own contract. This customer's contract goes
     * on as agreed. Needs the scope `customers:write`. Fails with `replacement_not_possible`.
     */
    withdrawReplacement(customerId: string, options?: CallOptions): Promise<WithdrawnReplacement>;
    /**
     * Report that a customer has died. Holds all e-mails to the customer and all payments at once, and tells nobody
     * but the operator, who confirms the report or lifts it within ten working days. Only the operator sees who
     * reported what. If the report is lifted, the e-mails are sent, and what fell due meanwhile is taken ten days
     * later without a late fee. Needs the scope `customers:write`.
     */
    reportDeath(customerId: string, body: ReportDeathRequest, options?: CallOptions): Promise<ReportedDeath>;
    /**
     * Report a meter reading. Read the meters on the day of moving in and on the last day of the contract. Days from
     * moving in to a week after the last day are possible. A later reading of the same meter, register and day
     * replaces the earlier one. Readings go to the operator with the supply of the home. They change no price. Needs
     * the scope `customers:write`. Fails with `customer_erased`, `contract_not_in_force`.
     */
    reportMeterReading(customerId: string, body: ReportMeterReadingRequest, options?: CallOptions): Promise<ReportedMeterReading>;
    /**
     * List meter readings. Returns the readings of the home from the day on which the customer moved in to a week
     * after their last day, whoever of the household reported them. Empty before the contract takes effect. Needs the
     * scope `customers:read`.
     */
    listMeterReadings(customerId: string, options?: CallOptions): Promise<MeterReadings>;
    /**
     * Revoke the links to a customer's documents. Every link to a contract or a preview of this customer that was made
     * until now stops working at once, for example because it was sent to somebody else. New links work. Needs the
     * scope `customers:write`.
     */
    revokeLinks(customerId: string, options?: CallOptions): Promise<RevokedLinks>;
    /**
     * Create a link to the tenant's pages. On these pages the tenant gives their details, adds a card, agrees to the
     * contract and, afterwards, manages it. Send the link to this tenant only. If the quote has `sendEmails` and the
     * tenant a `contactPermission`, we send it too. Earlier links of this tenant end, and so does what they have open.
     * Needs the scope `customers:onboard`. Fails with `quote_cancelled`, `customer_erased`, `customer_removed`,
     * `contract_not_in_force`.
     */
    createOnboardingLink(customerId: string, options?: CallOptions): Promise<OnboardingLink>;
    /**
     * Revoke the links to the tenant's pages. Every link that was made until now stops working at once, and so does
     * what the tenant has open. Needs the scope `customers:onboard`.
     */
    revokeOnboardingLinks(customerId: string, options?: CallOptions): Promise<RevokedOnboardingLinks>;
    /**
     * Report that a contract was confirmed. When a contract takes effect, its tenant must be sent a confirmation that
     * it is in force, with the contract, by e-mail or on paper. If the operator has agreed that you send it, report
     * each one here. The tenant can cancel until the end of the 14th day after the day on which it was first sent. A
     * report of a later time changes nothing. Needs the scope `customers:write`. Fails with `contract_not_in_force`.
     */
    reportConfirmationSent(customerId: string, contractNumber: string, body: ReportConfirmationSentRequest, options?: CallOptions): Promise<Contract>;
    /**
     * Get a link to a preview of the pre-contract information (HTML). Show it to the tenant before they accept the
     * terms. The document is the later contract, marked as a draft. Needs the scope `customers:read`. Fails with
     * `quote_expired`, `quote_cancelled`, `packages_required`, `broadband_products_required`,
     * `personal_information_required`, `already_onboarded`, `customer_erased`, `customer_removed`.
     */
    getPciPreviewUrlHtml(customerId: string, options?: CallOptions): Promise<PreviewLink>;
    /**
     * Get a link to a preview of the pre-contract information (PDF). Show it to the tenant before they accept the
     * terms. The document is the later contract, marked as a draft. Needs the scope `customers:read`. Fails with
     * `quote_expired`, `quote_cancelled`, `packages_required`, `broadband_products_required`,
     * `personal_information_required`, `already_onboarded`, `customer_erased`, `customer_removed`.
     */
    getPciPreviewUrlPdf(customerId: string, options?: CallOptions): Promise<PreviewLink>;
    /**
     * Rotate a webhook's secret. The response contains the new secret, which is never shown again. The previous secret
     * stays valid for 24 hours; until then every message carries a signature for each secret, newest first. Send an
     * Idempotency-Key so that retrying after a lost response does not rotate the secret again. Needs the scope
     * `webhooks:manage`.
     */
    rotateWebhookSecret(webhookId: string, options?: CallOptions): Promise<RotatedWebhookSecret>;
    /**
     * Send a test event to a webhook. The test event is signed, delivered and retried like any other. Until the
     * webhook is verified, it is not retried, and a host gets at most 5 an hour. Its body contains `"test": true` and
     * names a quote and a customer that do not exist. The response returns immediately; get the delivery to see the
     * outcome. Needs the scope `webhooks:manage`. Fails with `webhook_event_unknown`, `webhook_disabled`.
     */
    sendTestEvent(webhookId: string, body?: TestEventRequest, options?: CallOptions): Promise<QueuedMessage>;
    /**
     * Send a new verification challenge to a webhook. Use this after a verification failed, or to avoid waiting for
     * the next attempt of a pending one. Any earlier challenge becomes invalid. A webhook that is already verified
     * stays verified, whatever the outcome. Needs the scope `webhooks:manage`. Fails with `webhook_disabled`.
     */
    sendVerification(webhookId: string, options?: CallOptions): Promise<QueuedMessage>;
    /**
     * List a webhook's deliveries, newest first. Includes pending deliveries. Deliveries are kept for 30 days. `GET
     * /Deliveries/{id}` shows the attempts. Needs the scope `webhooks:manage`.
     */
    listDeliveries(webhookId: string, query?: ListDeliveriesQuery, options?: CallOptions): Paged<Delivery>;
    /**
     * Get a delivery with its attempts. Shows the headers and body that were sent and the responses received. Needs
     * the scope `webhooks:manage`.
     */
    getDelivery(deliveryId: string, options?: CallOptions): Promise<DeliveryWithAttempts>;
    /**
     * Redeliver a message. Sends the message again to the webhook's current URL, with the same `webhook-id` and a full
     * set of retries. Works for any delivery, including one that succeeded. A delivery that is waiting for a retry
     * becomes due immediately. A delivery that is being sent is sent again only if that attempt fails. Needs the scope
     * `webhooks:manage`. Fails with `webhook_disabled`.
     */
    redeliver(deliveryId: string, options?: CallOptions): Promise<Delivery>;
    /**
     * Replay the events a webhook missed. Queues every failed delivery again, and every event of the subscribed types
     * that was not sent because the webhook was disabled. Events stay in order within a quote and keep their
     * `webhook-id`. The response returns immediately; `GET /Replays/{id}` shows the progress. If a replay is already
     * running, the call returns that replay and extends it to cover the new range. Needs the scope `webhooks:manage`.
     * Fails with `webhook_disabled`.
     */
    replayWebhook(webhookId: string, body?: ReplayRequest, options?: CallOptions): Promise<Replay>;
    /** Get a replay's progress. Needs the scope `webhooks:manage`. */
    getReplay(replayId: string, options?: CallOptions): Promise<Replay>;
    /**
     * List or follow events. Returns the newest events first by default. To follow events, use `order=oldest`: it
     * always returns a `nextCursor`, even on an empty page. Call again with that cursor, now or later, to get
     * everything that has happened since, without gaps. An event is listed within about a second and kept for 30 days.
     * Needs the scope `webhooks:manage`.
     */
    listEvents(query?: ListEventsQuery, options?: CallOptions): Paged<Event>;
    /**
     * Get an event. Returns the event as it is delivered to webhooks. Events are kept for 30 days. Needs the scope
     * `webhooks:manage`.
     */
    getEvent(eventId: string, options?: CallOptions): Promise<Event>;
    /**
     * List an event's deliveries. Returns one delivery, with its status, for each webhook subscribed to the event. The
     * list is not paged. Deliveries of deleted webhooks are left out. The list is empty if no webhook was subscribed,
     * and for a moment until the event is dispatched. `GET /Deliveries/{id}` shows the attempts. Needs the scope
     * `webhooks:manage`.
     */
    listEventDeliveries(eventId: string, options?: CallOptions): Promise<EventDeliveries>;
    /**
     * Export all data held about a customer. Use this for access and portability requests (UK GDPR, articles 15 and
     * 20). The export includes the contract documents. It includes Priority Services Register details only if the
     * token also has the scope `psr:read`; otherwise `omitted` says that they are left out. Every export is recorded
     * in the audit log. After an erasure, it contains only the data that is left. Needs the scope `customers:export`.
     */
    exportCustomer(customerId: string, options?: CallOptions): Promise<CustomerExport>;
    /**
     * Erase a customer's data. Erasure is permanent and is not possible while the customer's contract is running.
     * Afterwards, responses show the name "Erased"; the quote keeps its amounts. For a contract that has ended, the
     * data required by law is kept until `retainedUntil`. Within minutes, Housebill asks the payment processor to
     * delete the customer and their card. Calling again returns the time of the first erasure. Needs the scope
     * `customers:write`. Fails with `contract_running`.
     */
    eraseCustomer(customerId: string, options?: CallOptions): Promise<ErasedCustomer>;
    /**
     * Read what you sold by week and branch. Returns for each week and branch how far the quotes of the week have got
     * until now, and what took effect in the week. Counted when you ask. Needs the scope `quotes:read`.
     */
    readSales(query?: ReadSalesQuery, options?: CallOptions): Promise<Sales>;
    /**
     * Read your commission of a month. Returns your statement of a month, line by line: what each contract earned, and
     * what was taken back. The sums are of all lines that match, whatever the page. The operator pays what a closed
     * month says. Needs the scope `quotes:read`.
     */
    readCommissionStatement(query: ReadCommissionStatementQuery, options?: CallOptions): Paged<CommissionLine>;
    /**
     * Query a line of your commission. Asks the operator about a line, whose answer you read on the statement. A line
     * has one open query at a time. Needs the scope `quotes:write`.
     */
    queryCommissionLine(lineId: string, body: QueryCommissionLineRequest, options?: CallOptions): Promise<CommissionLine>;
    /** Read your settings. Needs the scope `customers:onboard`. */
    readSettings(options?: CallOptions): Promise<Settings>;
    /**
     * Change your settings. E-mails that wait to be sent keep the name with which they were queued. Send your own name
     * to go back to it. Needs the scope `customers:onboard`.
     */
    updateSettings(body: UpdateSettingsRequest, options?: CallOptions): Promise<Settings>;
    /**
     * Expire a quote now. With `quotingToolVersionId`, the quote is next priced on that version, as if prices had
     * changed meanwhile. Needs the scope `sandbox:steer`. Fails with `quoting_tool_version_not_found`, `quote_locked`,
     * `quote_cancelled`.
     */
    sandboxExpireQuote(quoteId: string, body?: ExpireQuoteRequest, options?: CallOptions): Promise<QuoteOutline>;
    /**
     * Set a service's status on the operator's behalf. Reports how far the supply of a service has come. It holds for
     * every tenant whose contract is in force, and each of them has a `customer.service.changed` and, where it is news
     * to them, an e-mail. The same status and reason again changes nothing. Needs the scope `sandbox:steer`. Fails
     * with `onboarding_incomplete`.
     */
    sandboxSetServiceStatus(quoteId: string, body: SetServiceStatusRequest, options?: CallOptions): Promise<ServiceStatusOfQuote>;
    /**
     * Confirm a setup intent on the tenant's behalf. `pm_card_visa` succeeds, `pm_card_chargeDeclined` is declined,
     * and `pm_card_authenticationRequired` waits for the customer to authenticate (see `POST
     * /Sandbox/setup-intents/{id}/authenticate`). You can also send the number of a test card. A declined card is not
     * an error: the response contains the status of the intent. Needs the scope `sandbox:steer`.
     */
    sandboxConfirmSetupIntent(setupIntentId: string, body: ConfirmSetupIntentRequest, options?: CallOptions): Promise<SetupIntentOutcome>;
    /**
     * Complete a setup intent's authentication on the bank's behalf. For an intent whose status is `requires_action`.
     * With `passed`, the card is attached, or declined if it is a test card that declines. With `failed`, the intent
     * needs a card again. The response contains the status of the intent. Needs the scope `sandbox:steer`.
     */
    sandboxAuthenticateSetupIntent(setupIntentId: string, body: AuthenticateSetupIntentRequest, options?: CallOptions): Promise<SetupIntentOutcome>;
    /**
     * Collect the next payment on the operator's behalf. The simulated processor takes the first payment of the
     * customer's schedule that is not collected yet from the attached card and sends its webhook. Each payment is
     * collected once, also by simultaneous calls. The customer's contract must be in force. The result depends on the
     * card, unless you set `outcome`. With the outcome `refunded` or `disputed`, it instead refunds the payment that
     * was collected last, or the tenant's bank disputes it. Needs the scope `sandbox:steer`. Fails with
     * `payment_setup_incomplete`, `contract_not_in_force`.
     */
    sandboxCollectPayment(customerId: string, body?: CollectPaymentRequest, options?: CallOptions): Promise<CollectedPayment>;
    /**
     * Delay or drop the payment processor's webhooks. Applies to your customers only, from the next change on, and
     * persists across restarts. Fields you leave out return to their defaults, so `{}` restores normal behaviour.
     * While any setting is not the default, Housebill learns of outcomes only from these webhooks, not from the
     * response to the sandbox call that caused them. Needs the scope `sandbox:steer`.
     */
    sandboxSteerProcessorWebhooks(body: SimulateProcessorWebhooksRequest, options?: CallOptions): Promise<SimulatedProcessorWebhooks>;
    /**
     * Take the payment processor down or bring it back. Applies to your customers only, until you change it, and
     * persists across restarts. While the processor is down, every call that needs it returns 503. Needs the scope
     * `sandbox:steer`.
     */
    sandboxSteerProcessorOutage(body: SimulateOutageRequest, options?: CallOptions): Promise<SimulatedOutage>;
    /** Read your sandbox clock. Needs the scope `sandbox:steer`. */
    sandboxReadClock(options?: CallOptions): Promise<SandboxClock>;
    /**
     * Move your sandbox clock forward. Send either `seconds` or `to`. Affects dates, quote expiry, age checks,
     * contract URLs and the expiry of Priority Services Register entries, for all your data. Tokens, signatures, rate
     * limits, retries and idempotency keys stay in real time. The clock only moves forward, by up to 10 years in
     * total. Needs the scope `sandbox:steer`.
     */
    sandboxAdvanceClock(body: AdvanceClockRequest, options?: CallOptions): Promise<SandboxClock>;
    /**
     * Simulate broadband provider failures for an address. From now on, the simulated providers behave like this for
     * your calls about this address; other partners are not affected. A provider you leave out keeps its behaviour;
     * `ok` restores the normal one. While a provider is simulated to misbehave, its results are not stored. Needs the
     * scope `sandbox:steer`.
     */
    sandboxSteerBroadband(addressUid: string, body: SimulateBroadbandRequest, options?: CallOptions): Promise<SimulatedBroadband>;
    /**
     * List the postcodes with sample properties. TE5 7AA has one property for each special case; `addressLine1` says
     * which. Needs the scope `sandbox:steer`.
     */
    sandboxListPostcodes(options?: CallOptions): Promise<SamplePostcodeList>;
    /**
     * List the requests that you sent, newest first. Lists the requests whose token was accepted. A request is listed
     * within about a second. The latest 10,000 of the last 7 days are kept. After a crash, some may be missing. Needs
     * the scope `sandbox:steer`.
     */
    sandboxListRequests(query?: SandboxListRequestsQuery, options?: CallOptions): Paged<SandboxRequest>;
    /**
     * Move a webhook's retries forward in time. Retries of the webhook become due as many seconds earlier, and its
     * failures become as much older, as if every attempt in that time had failed. The webhook is disabled after five
     * days, by the next attempt that fails. Needs the scope `sandbox:steer`.
     */
    sandboxAdvanceDeliveries(webhookId: string, body: AdvanceDeliveriesRequest, options?: CallOptions): Promise<Webhook>;
}
/** One page of a list. */
interface Page<Entry> {
    readonly data: readonly Entry[];
    /** Where the next page begins; null on the last page. */
    readonly nextCursor: string | null;
}
/**
 * A list. `await` gives its first page. `for await` gives every entry of this page and of all later ones, which are
 * read as they are needed.
 */
interface Paged<Entry> extends Promise<Page<Entry>>, AsyncIterable<Entry> {
    /** Gives page by page. Store `nextCursor` of the last one to continue later. */
    pages(): AsyncIterable<Page<Entry>>;
}
/**
 * Reads a list, of which `read` gets the page at a cursor. Ends at the last page, or at an empty one: a list that can
 * be followed, such as the events from the oldest, has a cursor on every page.
 */
declare function paged<Entry>(read: (cursor?: string) => Promise<Page<Entry>>): Paged<Entry>;
/** How calls are retried. */
interface RetryPolicy {
    /** How often a call is repeated after its first attempt. */
    maxRetries: number;
    /** The longest pause before the first retry, in milliseconds. It doubles with each further one. */
    firstPauseMs: number;
    /**
     * The longest pause, in milliseconds. If the server asks for a longer one, the call fails at once, and you decide.
     */
    longestPauseMs: number;
}
declare const defaultRetryPolicy: RetryPolicy;
/**
 * The pause in milliseconds before a failed call is repeated; undefined if it must not be. `retries` is how often it
 * was repeated already, and `random` is from 0 to 1.
 *
 * Every operation can be repeated safely: a POST has an idempotency key, and repeating any other changes nothing more.
 */
declare function pauseBeforeRetry(error: HousebillError, retries: number, { maxRetries, firstPauseMs, longestPauseMs }: RetryPolicy, random: number): number | undefined;
/** The seconds of a `Retry-After` header, which can be a number or an HTTP date; undefined if it is neither. */
declare function parseRetryAfter(header: string | null, now: number): number | undefined;
/** What to quote, and for whom. Everything has a default. */
interface SandboxHousehold extends Omit<CreateQuoteRequest, 'addressUid'> {
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
interface SignedUpHousehold {
    quoteId: string;
    /** The lead tenant's first. */
    customerIds: readonly string[];
}
interface StartedHousehold extends SignedUpHousehold {
    addressUid: string;
    quote: CreatedQuote;
    /** As they were added. */
    tenants: readonly NewTenant[];
}
/**
 * Takes an invented household in a sandbox from an address to contracts in force, for tests of what follows: contracts,
 * payments, replacements. Throws what the methods of the client throw.
 */
declare function signUpSandboxHousehold(client: Operations, household?: SandboxHousehold): Promise<SignedUpHousehold>;
/**
 * The steps of the whole household: the quote with its packages, the tenants and broadband. Its customers can then
 * onboard.
 */
declare function startHousehold(client: Operations, household?: SandboxHousehold): Promise<StartedHousehold>;
/** How far a customer's onboarding has come. */
type CustomerStage = 'details' | 'card' | 'contract';
/** Takes a customer through the steps up to a stage. */
declare function onboardCustomer(client: Operations, customerId: string, upTo: CustomerStage, details: PersonalInformationRequest): Promise<void>;
/** Confirms the customer's setup intent with a test card. Creates the intent if there is none. Returns its id. */
declare function attachCard(client: Operations, customerId: string, paymentMethod?: ConfirmSetupIntentRequest['paymentMethod']): Promise<string>;
/** Valid details of a tenant. */
declare function inventDetails({ name, email }: NewTenant): PersonalInformationRequest;
/** Up to twelve people. RFC 2606 reserves their email domain, and Ofcom the phone number of their details for drama. */
declare function inventTenants(count: number): NewTenant[];
/** A token, and for how many seconds it is valid. */
interface IssuedToken {
    accessToken: string;
    expiresInSeconds: number;
}
/** Fetches a token once, for all calls, and again when it ends or is rejected. */
declare class TokenSource {
    #private;
    constructor(fetchToken: () => Promise<IssuedToken>);
    /** A token to send. Calls that need one at the same moment wait for the same request. */
    get(): Promise<string>;
    /** Forgets a token that the server rejected, unless it was replaced already. */
    reject(token: string): Promise<void>;
}
/** The message is not Housebill's, was changed on its way, or is too old. Respond with 400. */
declare class InvalidWebhookError extends Error {
    name: string;
}
/** Headers as `fetch`, `node:http` or a serverless platform gives them, in any letter case. */
type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/** How strict `verifyWebhook` is. */
interface VerifyOptions {
    /** How far the time of the attempt may be from your clock, in seconds. Defaults to 300. */
    toleranceSeconds?: number;
    /** Your clock. Defaults to the machine's. */
    now?: Date;
}
/**
 * Checks the signature of a webhook message (Standard Webhooks) and returns the message.
 *
 * `rawBody` is the body as received: parsing and serialising it again would change it. `secret` is the webhook's secret, or several of which
 * one must fit, as while you replace it. Throws InvalidWebhookError.
 */
declare function verifyWebhook(rawBody: string | Uint8Array, headers: WebhookHeaders, secret: string | readonly string[], { toleranceSeconds, now }?: VerifyOptions): Promise<WebhookMessage>;
