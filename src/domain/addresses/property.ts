import type { SpecialCase } from './samples/special-case.ts'

/** The nations that are served. A property's nation decides its bank holidays. */
export const nations = ['England', 'Wales', 'Scotland'] as const
export type Nation = (typeof nations)[number]

/** A home that can be quoted for. It belongs to no partner. */
export interface Property {
  addressUid: string
  addressLine1: string
  /** Building or street; may be empty. */
  addressLine2: string
  city: string
  /** May be empty. */
  county: string
  /** The nation, under the name partners know it by. */
  country: Nation
  /** Upper case with one space: see `normalisePostcode`. */
  postcode: string
  /** Unique property reference number: up to 12 digits, as it was delivered. */
  uprn: string
  /** Electricity meter point, 13 digits; null for a home without electricity or one whose meter is not known. */
  mpan: string | null
  /** Gas meter point, 6 to 10 digits; null for a home without gas or one whose meter is not known. */
  mprn: string | null
  source: PropertySource
  /** What is special about a sandbox's magic property; null for ordinary ones. */
  specialCase: SpecialCase | null
}

/** Suppliers of addresses that are asked when a postcode is looked up. */
export const supplierNames = ['ideal-postcodes', 'os-places'] as const
export type SupplierName = (typeof supplierNames)[number]

/** `sample`: invented and shipped with a sandbox. `import`: from the operator's file. Otherwise the supplier's name. */
export type PropertySource = 'sample' | 'import' | SupplierName
