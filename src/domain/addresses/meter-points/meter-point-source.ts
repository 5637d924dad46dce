/** The meters of one home; null for a supply it does not have or whose meter is not known. */
export interface MeterPoints {
  /** Electricity: 13 digits. */
  mpan: string | null
  /** Gas: 6 to 10 digits. */
  mprn: string | null
}

/** Who knows which meters a home has. Suppliers of addresses do not. */
export interface MeterPointSource {
  /** The meters of those of these homes it knows, by the UPRN as it was asked for. */
  findByUprns(uprns: readonly string[]): Promise<ReadonlyMap<string, MeterPoints>>
}
