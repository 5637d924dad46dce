/** `unknown` is what nobody has said. */
export type Maybe = boolean | 'unknown'

/** What is known of a home's meters and heating, by each fact's values. */
export const meterChoices = {
  /** How energy is paid for: afterwards, or before it is used with a key, card or app. */
  payment: ['credit', 'prepayment', 'unknown'],
  /** Whether the electricity meter counts days and nights apart, such as for Economy 7. */
  registers: ['single', 'two_rate', 'unknown'],
  smart: [true, false, 'unknown'],
  heating: ['mains_gas', 'electric', 'heat_network', 'other', 'unknown'],
} as const

/** The facts about a home's meters that decide whether, and at which rates, it can be supplied. */
export type MeterFacts = { [Fact in keyof typeof meterChoices]: (typeof meterChoices)[Fact][number] }

/** Facts as somebody gives them: only those they know or want to change. */
export type GivenMeterFacts = Partial<MeterFacts>

const nothingKnown: MeterFacts = { payment: 'unknown', registers: 'unknown', smart: 'unknown', heating: 'unknown' }

/** The facts with those that somebody gave: what they said counts. Null while nobody has said anything. */
export function withMeterFacts(known: MeterFacts | null, given: GivenMeterFacts | undefined): MeterFacts | null {
  return given === undefined ? known : { ...nothingKnown, ...known, ...given }
}

/** Of the facts that somebody gives, those that nobody has said yet. */
export function stillUnknown(known: MeterFacts | null, given: GivenMeterFacts): GivenMeterFacts {
  const facts = Object.entries(given).filter(([fact]) => (known?.[fact as keyof MeterFacts] ?? 'unknown') === 'unknown')
  return Object.fromEntries(facts)
}
