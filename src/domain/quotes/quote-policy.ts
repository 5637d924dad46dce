/** The operator's settings that quotes follow. */
export interface QuotePolicy {
  /** QUOTE_VALIDITY_SECONDS */
  validitySeconds: number
  /** BILLING_DAY, 1–28. Stored with each quote's price. */
  billingDay: number
}
