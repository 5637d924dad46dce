import type { Queryable } from '../../db/database.ts'
import type { MeterPointSource } from '../../domain/addresses/meter-points/meter-point-source.ts'
import { listMeterPoints } from '../../domain/addresses/meter-points/meter-points.store.ts'

/** Meter points imported from the operator's file: see `housebill meter-points import`. */
export function databaseMeterPointSource(db: Queryable): MeterPointSource {
  return {
    async findByUprns(uprns) {
      if (uprns.length === 0) return new Map()
      return new Map((await listMeterPoints(db, uprns)).map(({ uprn, ...meters }) => [uprn, meters]))
    },
  }
}
