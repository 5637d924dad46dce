import type { IsoDate } from '../../platform/kernel/dates.ts'
import { type Service, serviceNames, serviceRow } from '../../quoting/packages/services.ts'

/** The services that are measured at a meter point of the home. */
export const servicesWithMeter = serviceNames().filter((name) => serviceRow(name).metered?.meter)

/** What a meter of a home showed on a day. The home has one meter point for each service with a meter. */
export interface MeterReading {
  service: Service
  readOn: IsoDate
  /** The whole units on the meter's display. */
  reading: number
  reportedAt: Date
}
