import Type, { type Static } from 'typebox'
import type { PresentedAt } from '../../platform/http/route.ts'
import { NamedChoice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Text } from '../../platform/http/schemas/values.ts'
import { maxNamedOverlaps, type SimilarQuote } from '../quotes/overlaps/overlap.ts'
import type { Quote } from '../quotes/quote.ts'
import { type PriceWarning, priceWarnings } from './warnings/price-warning.ts'
import { maxStoredWarnings } from './warnings/stored-warning.ts'

const codes = [
  'broadband_products_required',
  'broadband_not_included',
  'quote_expired',
  'supply_request_required',
  'package_replaced',
  'package_dropped',
  'install_date_dropped',
  'property_already_covered',
  'tenancy_disagrees',
  'prepayment_meter',
  'two_rate_meter_on_single_rate',
  'heat_network',
  'property_already_quoted',
  'tenant_already_invited',
] as const satisfies readonly PriceWarning['code'][]

const CostWarning = NamedChoice(
  'CostWarning',
  codes,
  "What to check before the price is agreed. `broadband_products_required`: the quote has only broadband, without a main line, so create-setup-intent would be rejected. `broadband_not_included`: broadband is selected without a main line, so it is not part of the price and would not be part of the contract. `quote_expired`: the prices have expired, so most calls would be rejected until total-cost renews them. `supply_request_required`: supply begins within the cancellation period, so accept-terms would be rejected for a tenant who has not asked for that. `package_replaced` and `package_dropped`: repricing found a selected package no longer on sale, or one that the home cannot have. `install_date_dropped`: the selected install date is no longer possible. `property_already_covered`: another of your quotes already supplies the property, or one of its meter points, on some of the same days. `tenancy_disagrees`: the tenancy is not one of the property's nation, or its days do not fit those of the contract. `prepayment_meter`: energy is paid for before it is used, until the supplier changes the meter to credit. `two_rate_meter_on_single_rate`: the meter has two registers, and the rate card prices it as if it had one. `heat_network`: a heat network heats the property, so no gas is offered. `property_already_quoted`, `tenant_already_invited`: another quote of the last 90 days, named in warningDetails, may be of the same household; only the response to its creation says so.",
)

const CostWarningDetail = ResponseObject('CostWarningDetail', 'A warning, and what it is about.', {
  code: CostWarning,
  detail: Text(1_000, 'What happened and what to do, for a developer to read.'),
  packageId: Nullable(Id('The package that is no longer selected; null if the warning is about something else.')),
  replacementId: Nullable(Id('The package that replaced it; null if none did.')),
  date: Nullable(DateOnly('The install date that was dropped; null if the warning is about something else.')),
  quoteId: Nullable(Id('Your other quote; null if the warning is about something else.')),
})

export const warningFields = {
  warnings: Type.Array(CostWarning, {
    maxItems: codes.length,
    description: 'What to check before the price is agreed, each code once; empty if there is nothing.',
  }),
  warningDetails: Type.Array(CostWarningDetail, {
    maxItems: maxStoredWarnings + 3 * maxNamedOverlaps + 10,
    description: 'The same warnings with what each is about: one entry for each package, date or other quote.',
  }),
}

const WarningFields = Type.Object(warningFields)

/** `similar` are quotes that may be of the same household, of which only its creation warns. */
export function presentWarnings(
  quote: Quote,
  at: PresentedAt,
  similar: readonly SimilarQuote[] = [],
): Static<typeof WarningFields> {
  const warnings = [...priceWarnings(quote, at), ...similar]
  return {
    warnings: codes.filter((code) => warnings.some((warning) => warning.code === code)),
    warningDetails: warnings.map((warning) => ({
      code: warning.code,
      detail: explain(warning),
      packageId: 'packageId' in warning ? warning.packageId : null,
      replacementId: 'replacementId' in warning ? warning.replacementId : null,
      date: 'date' in warning ? warning.date : null,
      quoteId: 'quoteId' in warning ? warning.quoteId : null,
    })),
  }
}

function explain(warning: PriceWarning): string {
  switch (warning.code) {
    case 'broadband_products_required':
      return 'The quote has only broadband, without a main line. Add a line with POST /Quotes/{id}/add-broadband-products, or add another package with add-packages.'
    case 'broadband_not_included':
      return 'Broadband is selected without a main line, so it is not part of the price and would not be part of the contract. To include it, add a line with POST /Quotes/{id}/add-broadband-products.'
    case 'quote_expired':
      return 'The prices have expired. Until GET /Quotes/{id}/total-cost has fetched new ones, calls that add something or onboard a tenant are rejected. If the quote has no tenants or no packages, create a new quote.'
    case 'supply_request_required':
      return 'Supply would begin within the 14-day cancellation period, so accept-terms would be rejected for each tenant who has not asked for it. Send supplyDuringCancellation: true with finalise-personal-information for those who ask, or create a quote with a later contractStartDate.'
    case 'package_replaced':
      return `The package ${warning.packageId} is no longer on sale. ${warning.replacementId}, the default package of its type, replaced it. To choose again, call update-packages.`
    case 'package_dropped':
      return `The package ${warning.packageId} is no longer on sale or cannot be had in this home, and nothing replaced it. If it was broadband, its products were removed too. To choose again, call add-packages or update-packages.`
    case 'install_date_dropped':
      return `Broadband can no longer be installed on ${warning.date}, the selected day. It starts on the earliest day instead. To choose again, call select-install-date.`
    case 'property_already_covered':
      return `Your quote ${warning.quoteId} is locked or completed and supplies the same property, or another one with the same MPAN or MPRN, with some of the same services on some of the same days. Choose other dates or packages, or cancel the quote that is not needed.`
    case 'tenancy_disagrees':
      return warning.detail
    case 'prepayment_meter':
      return 'Energy is paid for with a key, card or app at present. The operator asks the supplier for credit mode once the household has signed. Tell the tenants not to top up with what they find in the home.'
    case 'two_rate_meter_on_single_rate':
      return 'The electricity meter has two registers, but the rate card has no two rates for this region. The price assumes one rate.'
    case 'heat_network':
      return 'A heat network heats the home, so no gas is offered. The tenants pay for heating to the network or the landlord, besides these bills.'
    case 'property_already_quoted':
      return `Your quote ${warning.quoteId} of the last 90 days is of the same property. If it is the same household, cancel one of them.`
    case 'tenant_already_invited':
      return `A tenant with the same e-mail address is on your quote ${warning.quoteId} of the last 90 days. If it is the same household, cancel one of them.`
  }
}
