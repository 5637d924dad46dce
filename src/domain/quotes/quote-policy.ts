/** The operator's settings for quotes. */
export interface QuotePolicy {
  /** The value of QUOTE_VALIDITY_SECONDS. */
  validitySeconds: number
  /** The value of BILLING_DAY, 1–28. It is stored with each quote's price. */
  billingDay: number
}
