/** One property's meters. A meter is null if it is unknown or the property does not have that supply. */
export interface MeterPoints {
  /** The electricity meter point (MPAN): 13 digits. */
  mpan: string | null
  /** The gas meter point (MPRN): 6 to 10 digits. */
  mprn: string | null
}

/** A source of meter points, which address suppliers do not provide. */
export interface MeterPointSource {
  /** The known meters of these properties, by UPRN without leading zeros. */
  findByUprns(uprns: readonly string[]): Promise<ReadonlyMap<string, MeterPoints>>
}
