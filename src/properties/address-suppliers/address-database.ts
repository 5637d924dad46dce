import type { Queryable } from '../../platform/db/database.ts'
import { isAddressUid } from '../address-uid.ts'
import { listMeterPoints } from '../meter-points/meter-points.store.ts'
import type { MeterPointSource } from '../meter-points/meter-points.ts'
import { findByAddressUid, findStoredByUprn, listByPostcode, listInSector } from '../properties.store.ts'
import type { AddressSource } from '../property.ts'
import { orderProperties } from '../property-order.ts'

/** Properties from our own database: a sandbox's samples and the properties that the operator imported. */
export function databaseAddressSource(db: Queryable): AddressSource {
  return {
    hasSamples: true,
    findByPostcode: async (postcode) => orderProperties(await listByPostcode(db, postcode)),
    // Check first: PostgreSQL rejects some text, such as text with a zero byte.
    findByUid: async (addressUid) => (isAddressUid(addressUid) ? findByAddressUid(db, addressUid) : null),
    findByUprn: (uprn) => findStoredByUprn(db, uprn),
    findInSector: (sector, word) => listInSector(db, sector, word),
  }
}

/** Meter points imported from the operator's file: see `housebill meter-points import`. */
export function databaseMeterPointSource(db: Queryable): MeterPointSource {
  return {
    async findByUprns(uprns) {
      if (uprns.length === 0) return new Map()
      return new Map((await listMeterPoints(db, uprns)).map(({ uprn, ...meters }) => [uprn, meters]))
    },
  }
}
