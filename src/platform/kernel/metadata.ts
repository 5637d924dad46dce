/**
 * What a partner keeps with a quote or a tenant: its own keys and values. We store it encrypted, return it, and never
 * read it.
 */
export type Metadata = Readonly<Record<string, string>>

/** The limits of what a partner can keep with one quote or tenant. */
export const metadataLimits = { keys: 20, keyLength: 40, valueLength: 500 } as const
