/** Limits how often a partner's requests may need upstream calls, which are slow. */
export interface UpstreamAllowance {
  /** Counts one check. Throws `rate_limited` if the allowance is used up. */
  charge(): Promise<void>
}
