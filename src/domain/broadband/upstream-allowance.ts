/** How often a partner may have the upstreams asked: each asking takes seconds of theirs. */
export interface UpstreamAllowance {
  /** Counts one asking. Throws `rate_limited` where the allowance is used up. */
  charge(): Promise<void>
}
