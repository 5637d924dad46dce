/**
 * What changed in a version of a contract. The statuses stand for themselves. `end_changed`: its last day or its final
 * statement. `erased`: what it says about a person, or its records once they need no longer be kept.
 */
export const contractChanges = [
  'agreed',
  'in_force',
  'confirmation_sent',
  'lapsed',
  'superseded',
  'cancelled',
  'ended',
  'end_changed',
  'customer_changed',
  'payment_method_changed',
  'services_changed',
  'meter_read',
  'occupiers_changed',
  'corrected',
  'erased',
] as const
export type ContractChange = (typeof contractChanges)[number]

/** What happened to a customer's registration for priority services last. */
export const psrChanges = ['registered', 'changed', 'expired', 'withdrawn'] as const
export type PsrChange = (typeof psrChanges)[number]
