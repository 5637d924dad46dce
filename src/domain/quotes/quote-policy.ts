/** The operator's settings for quotes. */
export interface QuotePolicy {
  /** QUOTE_VALIDITY_SECONDS */
  validitySeconds: number
  /** BILLING_DAY, 1–28. It is stored with each quote's price. */
  billingDay: number
}
