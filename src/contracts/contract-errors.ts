import type { ErrorResponse } from '../platform/http/errors/error-response.ts'

/** The part of the error table about accepting the terms and what follows. */
export const contractErrors = {
  payment_setup_incomplete: {
    status: 422,
    title: 'Payment has not been set up',
    meaning: "The customer's setup intent has not succeeded.",
    remedy:
      'Create a setup intent, have the customer enter a card using its clientSecret, and accept the terms once the intent has succeeded.',
  },
  onboarding_incomplete: {
    status: 422,
    title: 'The customer has not completed onboarding',
    meaning: 'Contract documents are created when the customer accepts the terms.',
    remedy: 'First complete the steps up to and including POST /Customers/{id}/accept-terms.',
  },
  already_onboarded: {
    status: 422,
    title: 'Onboarding is complete',
    meaning:
      'The customer, or another customer of this quote, has accepted the terms. What they agreed to can no longer be changed.',
    remedy: 'Keep the contract as it is, or create a new quote.',
  },
  contract_running: {
    status: 422,
    title: "The customer's contract is running",
    meaning: 'The customer has accepted the terms and the contract has not ended. Their data is needed to perform it.',
    remedy: 'Erase the customer after the contract has ended, or ask the operator to do it earlier.',
  },
  customer_erased: {
    status: 422,
    title: "The customer's data was erased",
    meaning: "The customer's personal data was erased, so no further steps are possible for them.",
    remedy:
      'While the quote is open, remove the tenant with POST /Quotes/{id}/remove-tenants. Withdraw a replacement with withdraw-replacement.',
  },
  customer_removed: {
    status: 422,
    title: 'The customer was removed from the quote',
    meaning:
      'The customer once agreed to a contract of this quote and was removed from it later. Only their records are kept.',
    remedy:
      'Read their contracts with GET /Customers/{id}/contracts. To bring the person back, add them as a new tenant.',
  },
  supply_request_required: {
    status: 422,
    title: 'The tenant must ask for early supply',
    meaning:
      'A service would start within 14 days of the last moment at which the contract can take effect. The law then requires the tenant to ask for it expressly.',
    remedy:
      'If the tenant asks for it, send `supplyDuringCancellation: true` with finalise-personal-information, then accept the terms. Otherwise create a quote with a later `contractStartDate`.',
  },
  terms_changed: {
    status: 422,
    title: 'The terms have changed since they were shown',
    meaning:
      'The tenant would agree to something else than the preview or payment schedule that they were shown last, or than the `documentHash` names. `detail` says what changed.',
    remedy: 'Show the tenant a new preview, then accept the terms with its `documentHash`.',
  },
  terms_not_shown: {
    status: 422,
    title: 'The terms have not been shown',
    meaning: 'The operator requires that a tenant is shown the terms before they accept.',
    remedy:
      'Show the tenant a preview (`GET /Customers/{id}/pci-preview-url-html`), then accept the terms with its `documentHash`.',
  },
  contract_not_in_force: {
    status: 422,
    title: 'The contract does not allow this',
    meaning:
      'The customer has no contract that could be cancelled or ended, or their contract has not taken effect yet.',
    remedy:
      'See what became of the contracts with GET /Customers/{id}/contracts. A contract that waits for other tenants can be withdrawn with cancel-contract.',
  },
  no_death_reported: {
    status: 422,
    title: 'No open report of a death',
    meaning: 'Nobody reported that the customer has died, or the report was confirmed or lifted before.',
    remedy: 'Read the reports about the customer. To make a new one, call report-death.',
  },
  contract_not_cancellable: {
    status: 422,
    title: 'The right to cancel has ended',
    meaning: 'The tenant sent their message after the 14th day after the contract took effect.',
    remedy: 'If they sent it in time, send that day as `sentOn`. Otherwise end the contract with end-contract.',
  },
  early_exit_not_defined: {
    status: 422,
    title: 'Leaving early is not defined in figures',
    meaning: 'The terms that the tenant agreed to have no `earlyExit`, so the fee and the notice cannot be worked out.',
    remedy: 'If the tenancy ends, send that `reason`, which costs nothing then. Ask the operator for any other cause.',
  },
  end_date_not_allowed: {
    status: 422,
    title: 'The contract cannot end on this day',
    meaning:
      'The day is earlier than the notice allows, not before the last day of the contract, or an earlier end was set before.',
    remedy: 'Choose a day that `detail` allows. Try it first with `?dryRun=true`, which changes nothing.',
  },
  nothing_asked: {
    status: 422,
    title: 'There is no open question',
    meaning:
      'The tenant is not asked whether their tenancy ends, their time to answer is over, they did not ask you to end their contract, or it ends as agreed, for no reason that you could confirm.',
    remedy: "End the contract with end-contract, or say that the household's tenancy ends with end-household.",
  },
  start_not_movable: {
    status: 422,
    title: 'The first day can no longer be moved',
    meaning:
      "Supply was requested for the household's first day, somebody takes over a share, or the contract of a tenant is over.",
    remedy: 'Read `detail`. Otherwise end the contracts with end-contract, and create a new quote.',
  },
  replacement_not_possible: {
    status: 422,
    title: 'The share cannot be taken over',
    meaning:
      'The customer has no contract in force, the day is not within the contract, somebody else takes over already, or nobody is waiting to take over.',
    remedy: 'Read `detail`. `GET /Customers/{id}/contracts` shows what became of the contract.',
  },
  replacement_open: {
    status: 422,
    title: 'Somebody is already waiting to take over the share',
    meaning: 'A customer has at most one replacement that has not accepted yet.',
    remedy: 'Continue with that tenant, or withdraw the replacement with withdraw-replacement.',
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>
