// Limits that several parts of the program state. Their sources are in docs/api-behaviour.md.

/** The maximum number of tenants on a quote. */
export const maxTenants = 12

/**
 * How long a request's uid, a check and an upstream's response are each valid
 * (docs/api-behaviour.md#availability-checks).
 */
export const availabilityLifetimeMs = 24 * 3_600_000
