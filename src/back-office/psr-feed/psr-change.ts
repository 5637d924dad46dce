/** What happened to a customer's registration last. */
export const psrChanges = ['registered', 'changed', 'expired', 'withdrawn'] as const
export type PsrChange = (typeof psrChanges)[number]
