/** One property's meters; null if it lacks the supply or the meter is unknown. */
export interface MeterPoints {
  /** Electricity: 13 digits. */
  mpan: string | null
  /** Gas: 6 to 10 digits. */
  mprn: string | null
}

/** A source of meter points. Address suppliers have none. */
export interface MeterPointSource {
  /** The known meters of these properties, keyed by UPRN as passed. */
  findByUprns(uprns: readonly string[]): Promise<ReadonlyMap<string, MeterPoints>>
}
