/**
 * Why a payment that is owed is not collected at present. `being_checked`: money was received that belongs to no
 * payment yet, and may be for this one.
 * `card_missing`: the processor no longer has the customer's card, so the tenant must give one.
 */
export const holdReasons = ['being_checked', 'card_missing'] as const
export type HoldReason = (typeof holdReasons)[number]
