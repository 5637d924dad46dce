import type { ErrorResponse } from '../platform/http/errors/error-response.ts'
import { countInWords } from '../platform/kernel/in-words.ts'
import { inHours } from '../platform/openapi/time-in-words.ts'
import { availabilityLifetimeMs, maxTenants } from './quote-limits.ts'

/** The part of the error table about quotes, and the steps up to a card. */
export const quoteErrors = {
  address_not_found: {
    status: 422,
    title: 'No property has this addressUid',
    meaning: 'The addressUid in the body does not name a property that can be quoted.',
    remedy: 'Look up the property with GET /Addresses/lookup and use the addressUid it returns.',
  },
  address_not_serviceable: {
    status: 422,
    title: 'This property cannot be supplied',
    meaning: 'The property exists, but its distribution region is unknown or has no prices.',
    remedy: 'Choose another property. If its meter number is wrong or missing, ask the operator to correct it.',
  },
  quoting_tool_version_not_found: {
    status: 422,
    title: 'This quoting tool version is not available',
    meaning: 'The quotingToolVersionId is unknown, or the version is not on sale today.',
    remedy: 'Choose an id from GET /Quotes/quoting-tool-versions, or leave the field out to use the default version.',
  },
  package_not_available: {
    status: 422,
    title: 'A package is not available for this quote',
    meaning:
      'A package id is unknown, is not offered for this property (gas needs a gas meter, electricity an electricity meter), or is the second of its type.',
    remedy:
      "Use ids from the quote's packages, at most one of each type. To replace the selection, use update-packages.",
  },
  duplicate_reference: {
    status: 422,
    title: 'Another quote has this reference',
    meaning: 'You asked with `onDuplicateReference: reject` that no two of your quotes have the same reference.',
    remedy: 'Use the quote that the error names, or send another reference.',
  },
  import_begun: {
    status: 422,
    title: 'The import has begun',
    meaning: 'The rows of an import are sent once. They cannot change after that.',
    remedy: 'Send other rows with POST /Imports. Cancel those that are not done with cancel.',
  },
  duplicate_tenant: {
    status: 422,
    title: 'Two tenants have the same email address',
    meaning: 'Each tenant of a quote needs a different email address. Letter case is ignored.',
    remedy: 'Give each tenant a different email address.',
  },
  too_many_tenants: {
    status: 422,
    title: `More than ${countInWords(maxTenants)} tenants`,
    meaning: `A quote can have up to ${maxTenants} tenants.`,
    remedy: 'Remove tenants with POST /Quotes/{id}/remove-tenants, or create a second quote.',
  },
  quote_expired: {
    status: 422,
    title: 'The quote has expired',
    meaning: "The quote's prices are no longer valid.",
    remedy:
      'Call GET /Quotes/{id}/total-cost, which fetches new prices and extends the expiry. Show the new prices to the tenants, then continue.',
  },
  quote_locked: {
    status: 422,
    title: 'The quote can no longer be changed',
    meaning:
      'A tenant has started to set up payment, so the packages, tenants, broadband products, dates and prices are fixed.',
    remedy:
      'Call POST /Quotes/{id}/reopen, which is possible until a tenant completes onboarding, or create a new quote.',
  },
  quote_cancelled: {
    status: 422,
    title: 'The quote was cancelled',
    meaning: 'A cancelled quote cannot be used any more.',
    remedy: 'Create a new quote for the property.',
  },
  packages_required: {
    status: 422,
    title: 'The quote has no packages yet',
    meaning: 'This step requires at least one selected package.',
    remedy: 'Select packages first with POST /Quotes/{id}/add-packages.',
  },
  tenants_required: {
    status: 422,
    title: 'The quote has no tenants yet',
    meaning: 'This step requires at least one tenant.',
    remedy: 'Add tenants first with POST /Quotes/{id}/add-tenants.',
  },
  broadband_check_required: {
    status: 422,
    title: 'Broadband availability has not been checked',
    meaning: `You can only add products if an availability check returned the products for this address in the last ${inHours(availabilityLifetimeMs / 1_000)}.`,
    remedy:
      'Call GET /Quotes/run-broadband-availability-check/{uid} with the addressUid. If the home telecom provider failed, run the check again later.',
  },
  broadband_product_not_available: {
    status: 422,
    title: 'A broadband product is not available at this address',
    meaning:
      'The last availability check for this address did not return this product id, or the request contains two main lines.',
    remedy: 'Use product ids from the availability check: at most one main line, and each add-on once.',
  },
  broadband_products_required: {
    status: 422,
    title: 'The quote has no broadband line yet',
    meaning:
      'The quote has nothing but broadband without a main line, the request adds add-ons without a main line, or this step requires a broadband product on the quote.',
    remedy:
      'Add a line with POST /Quotes/{id}/add-broadband-products, or continue without broadband by selecting another package.',
  },
  install_date_not_available: {
    status: 422,
    title: 'Broadband cannot be installed on this day',
    meaning: 'The provider offers no installation on the date you sent.',
    remedy: 'Choose one of the dates in `availableDates` from GET /Quotes/{id}/get-bb-install-dates.',
  },
  personal_information_required: {
    status: 422,
    title: "The customer's personal information is missing",
    meaning: "This step requires the customer's personal information.",
    remedy: 'Submit it first with POST /Customers/{id}/finalise-personal-information.',
  },
  customer_under_18: {
    status: 422,
    title: 'The customer is under 18',
    meaning: 'The customer must be 18 or older on the day of submission.',
    remedy: 'Check the date of birth. A person under 18 cannot be part of the contract.',
  },
  customer_details_refused: {
    status: 422,
    title: "The payment processor does not accept the customer's details",
    meaning: 'The payment processor rejects a detail of the customer, which `errors` names.',
    remedy: 'Correct it with PATCH /Customers/{id}, then create the setup intent again.',
  },
  psr_contact_required: {
    status: 422,
    title: 'The Priority Services Register requires an authorised contact',
    meaning: 'If hasPsr is true, you must send the details of an authorised contact.',
    remedy: 'Send psrDetails.authorisedContact with firstName, lastName, relationship, phone and consentGiven: true.',
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>
