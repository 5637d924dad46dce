import type { Property } from '../addresses/property.ts'

/** What the broadband upstreams are told of a home: enough to find it, and nothing about who lives there. */
export type Home = Pick<Property, 'uprn' | 'postcode'>
