import type { Property } from '../properties/property.ts'

/** What broadband upstreams receive about a property: enough to find it, but nothing about its tenants. */
export type PropertyLocation = Pick<Property, 'uprn' | 'postcode'>
